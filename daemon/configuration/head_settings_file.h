// [calibration.head] of a cell's configuration: the positions of a rotary head.
#pragma once

#include "config/toml_reader.h"
#include "daemon/calibration/calibrate_settings.h"

namespace datum {

/// Throws config::ConfigError, also where two positions can't be told apart.
HeadSettings read_head(config::TomlTable table);

}  // namespace datum
