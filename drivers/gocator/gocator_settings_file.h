// [sensor.gocator]: a Gocator on the network.
#pragma once

#include "config/toml_reader.h"
#include "drivers/gocator/settings.h"

namespace datum::config {

/// Relative paths are resolved against `folder`. Throws ConfigError.
gocator::Settings read_gocator(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
