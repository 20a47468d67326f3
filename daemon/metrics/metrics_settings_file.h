// [metrics]: socket and port of the metrics.
#pragma once

#include <filesystem>

#include "config/toml_reader.h"
#include "daemon/metrics/settings.h"

namespace datum::config {

/// A relative socket path is resolved against `folder`. Throws ConfigError, also for an address that is not loopback.
MetricsSettings read_metrics(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
