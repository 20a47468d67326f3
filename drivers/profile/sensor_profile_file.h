// Reader of a sensor profile, a TOML file such as config/sensors/*.toml.
#pragma once

#include <filesystem>

#include "config/toml_reader.h"
#include "drivers/frame/sensor_profile.h"

namespace datum::config {

/// Throws ConfigError with file, line, column, key, what is wrong and what is allowed.
SensorProfile load_sensor_profile(const std::filesystem::path& path);
/// The same; adds warnings of values that are probably in another unit to `problems`.
SensorProfile load_sensor_profile(const std::filesystem::path& path, Problems& problems);

}  // namespace datum::config
