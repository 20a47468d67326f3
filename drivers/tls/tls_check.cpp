#include "drivers/tls/tls_check.h"

#include <algorithm>

#include "drivers/link_error.h"
#include "drivers/tls/tls_context.h"
#include "drivers/tls/tls_files.h"
#include "drivers/tls/tls_text.h"

namespace datum {
namespace {

template <class Look>
std::int64_t earliest(Look look) {
  try {
    return look();
  } catch (const RefusedError&) {
    return 0;  // problem_of() states the reason
  }
}

std::int64_t first_end(const std::filesystem::path& file) {
  return earliest([&] {
    const auto all = certificates_in(file);
    std::int64_t ends_s = utc_of(X509_get0_notAfter(all.front().get()));
    for (const auto& one : all) ends_s = std::min(ends_s, utc_of(X509_get0_notAfter(one.get())));
    return ends_s;
  });
}

}  // namespace

std::string problem_of(const TlsServerSettings& settings) {
  try {
    if (credential_path(settings.key)) {
      TlsContext::of_server(settings, [] { return 0; });
      return "";
    }
    certificates_in(settings.certificate);
    certificates_in(settings.client_ca);
    if (!settings.crl.empty()) revocations_in(settings.crl);
    return "";
  } catch (const RefusedError& refused) {
    return refused.what();
  }
}

TlsEnds ends_of(const TlsServerSettings& settings) {
  TlsEnds ends{first_end(settings.certificate), first_end(settings.client_ca)};
  if (settings.crl.empty()) return ends;
  ends.crl_s = earliest([&] {
    std::int64_t ends_s = 0;
    for (const auto& one : revocations_in(settings.crl))
      if (const ASN1_TIME* next = X509_CRL_get0_nextUpdate(one.get()))
        ends_s = ends_s == 0 ? utc_of(next) : std::min(ends_s, utc_of(next));
    return ends_s;
  });
  return ends;
}

}  // namespace datum
