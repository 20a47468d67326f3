// The metrics of a datumd on this computer.
#pragma once

#include <string>

#include "daemon/metrics/settings.h"

namespace datum {

/// The text of GET /metrics, by the socket where there is one, else by the port. Throws std::runtime_error with what is wrong:
/// nobody there, not in time (5 s), or another answer.
std::string fetch_metrics(const MetricsSettings& settings);

}  // namespace datum
