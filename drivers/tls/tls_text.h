// Texts of OpenSSL errors, with the remedy. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/tls/openssl_handles.h"
#include "drivers/tls/tls_identity.h"
#include "drivers/tls/tls_settings.h"

namespace datum {

struct TlsFailure {
  std::string why;
  bool lasting = false;  // a retry does not help: certificates, versions
};

/// Failure from the calling thread's error queue, which is cleared. `client`: the names of this side where it is a client, else
/// null.
TlsFailure tls_failure(const TlsClientNames* client);

/// For a chain that was not accepted, at its current certificate.
std::string objection_text(X509_STORE_CTX* store, const TlsClientNames* client);

/// Seconds since 1970-01-01.
std::int64_t utc_of(const ASN1_TIME* time);
/// Throws LostError where a subject exceeds 512 characters and can't be stated completely.
TlsIdentity identity_of(X509* certificate, const STACK_OF(X509) * chain);

}  // namespace datum
