// Reads the metrics of a datumd on this computer.
#pragma once

#include <string>

#include "daemon/metrics/settings.h"

namespace datum {

/// The body of GET /metrics, by the socket where one is configured, else by the port. Throws std::runtime_error: no
/// server, no byte within `timeout_ms`, or another answer.
std::string fetch_metrics(const MetricsSettings& settings, int timeout_ms = 5000);

}  // namespace datum
