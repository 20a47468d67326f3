// [fringe] of a sensor's profile: reader of FringeSettings.
#pragma once

#include "config/toml_reader.h"
#include "drivers/frame/fringe_settings.h"

namespace datum::config {

/// Relative paths are resolved against `folder`. Throws ConfigError.
FringeSettings read_fringe(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
