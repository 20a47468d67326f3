// Reader of a sensor profile, a TOML file such as config/sensors/*.toml.
#pragma once

#include <filesystem>

#include "drivers/frame/sensor_profile.h"

namespace datum::config {

/// Throws ConfigError with file, line, column, key, what is wrong and what is allowed.
SensorProfile load_sensor_profile(const std::filesystem::path& path);

}  // namespace datum::config
