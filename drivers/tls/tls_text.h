// What OpenSSL says, in words that name the remedy. Not for use outside this folder.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/tls/openssl_handles.h"
#include "drivers/tls/tls_identity.h"

namespace datum {

struct TlsFailure {
  std::string why;
  bool lasting = false;  // waiting and trying again mends nothing: certificates, versions
};

/// Of the calling thread's error queue, which is emptied.
TlsFailure tls_failure(bool is_server);

/// Of a chain that was not accepted, at the certificate in hand.
std::string objection_text(X509_STORE_CTX* store, bool is_server);

/// Seconds since 1970-01-01.
std::int64_t utc_of(const ASN1_TIME* time);
/// Throws LostError where the certificate can't be told unabridged: a subject longer than 512 characters.
TlsIdentity identity_of(X509* certificate, const STACK_OF(X509) * chain);

}  // namespace datum
