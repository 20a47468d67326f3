// What is wrong with a server's files, without serving.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/tls/tls_settings.h"

namespace datum {

/// Why TlsContext::of_server would refuse them; empty: it would not. A "%d/NAME" key is not looked at where there is no
/// $CREDENTIALS_DIRECTORY: only the service has one.
std::string problem_of(const TlsServerSettings& settings);

/// The first that ends of each file, in s since 1970-01-01; 0: there is none, or it can't be read.
struct TlsEnds {
  static constexpr int certificate_days = 30, crl_days = 3;  // before which it is warned of
  std::int64_t certificate_s = 0, client_ca_s = 0, crl_s = 0;
};
TlsEnds ends_of(const TlsServerSettings& settings);

}  // namespace datum
