// [metrics]: where the metrics can be read.
#pragma once

#include <filesystem>

#include "config/toml_reader.h"
#include "daemon/metrics/settings.h"

namespace datum::config {

/// A relative socket is resolved against `folder`. Throws ConfigError, also for an address that others reach.
MetricsSettings read_metrics(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
