// Present and future faults of the files that [host.tcp.tls] names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"

namespace datum::config {

/// Why a daemon with this configuration would refuse the files; empty: it accepts them, or has no TLS. A key that the
/// service manager provides is checked only where it exists.
std::string tls_problem(const DaemonConfig& config);

/// Certificates that expire soon or have expired: "host.tcp.tls.certificate: expires on 2026-12-05, in 12 days".
/// Unreadable files give no line.
std::vector<std::string> tls_expiry(const DaemonConfig& config, std::int64_t now_utc_s);

}  // namespace datum::config
