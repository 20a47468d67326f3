// Validation of a server's TLS files without serving.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/tls/tls_settings.h"

namespace datum {

/// Why TlsContext::of_server would refuse them; empty: it would not. A "%d/NAME" key is not checked without
/// $CREDENTIALS_DIRECTORY, which only the service has.
std::string problem_of(const TlsServerSettings& settings);

/// Earliest expiry of each file in s since 1970-01-01; 0: none, or unreadable.
struct TlsEnds {
  static constexpr int certificate_days = 30, crl_days = 3;  // days of warning before expiry
  std::int64_t certificate_s = 0, client_ca_s = 0, crl_s = 0;
};
TlsEnds ends_of(const TlsServerSettings& settings);

}  // namespace datum
