// [sensor.genicam]: a GigE Vision camera with 3D output on the network.
#pragma once

#include "config/toml_reader.h"
#include "drivers/genicam/settings.h"

namespace datum::config {

/// Throws ConfigError.
genicam::Settings read_genicam(TomlTable table);

}  // namespace datum::config
