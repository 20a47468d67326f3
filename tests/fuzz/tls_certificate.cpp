// A foreign certificate in DER: its identity as text for the log.
#include <openssl/err.h>
#include <openssl/x509.h>

#include <algorithm>

#include "daemon/hosts/tls_clients.h"
#include "drivers/link_error.h"
#include "drivers/tls/tls_text.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(tls_certificate) {
  const auto* der = reinterpret_cast<const unsigned char*>(bytes.data());
  const CertificateHandle certificate(d2i_X509(nullptr, &der, static_cast<long>(bytes.size())));
  ERR_clear_error();
  if (!certificate) return;
  try {
    const TlsIdentity who = identity_of(certificate.get(), nullptr);
    const std::string text = text_of(who);
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    fuzz::expect(std::all_of(text.begin(), text.end(), printable), "an identity is printable ASCII");
    fuzz::expect(role_of(who, {{"", who.sha256, Role::read}}) == Role::read, "it is its own fingerprint");
    fuzz::expect(!who.name.empty() || !role_of(who, {{"line-plc", "", Role::configure}}), "no name, no role");
    expiry_text(who.ends_s, 1'900'000'000);
  } catch (const LostError&) {
  }
}
