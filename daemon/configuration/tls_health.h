// What is wrong with the files that [host.tcp.tls] names, and what will be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"

namespace datum::config {

/// Why a daemon of this configuration would refuse its files; empty: it would not, or has no TLS. A key that only the service
/// manager hands over is not looked at where it is not there.
std::string tls_problem(const DaemonConfig& config);

/// What will end soon, or has: "host.tcp.tls.certificate: expires on 2026-12-05, in 12 days". Files that can't be read give
/// none.
std::vector<std::string> tls_expiry(const DaemonConfig& config, std::int64_t now_utc_s);

}  // namespace datum::config
