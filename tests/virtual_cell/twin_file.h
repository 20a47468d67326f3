// Common tables of the files in config/twins: the virtual sensor's pixel grid and its noise.
#pragma once

#include "config/toml_reader.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum {

/// [view]: rows, cols, pitch_mm, origin_mm, shadow_slope, count_um, z_offset_mm, handedness. Throws config::ConfigError.
void read_twin_view(config::TomlTable table, TwinView* view, TwinSensor* sensor);

/// [noise]: the members of TwinNoise that a file may set; [noise.world]: those of TwinWorld, if present.
/// Throws config::ConfigError.
TwinNoise read_twin_noise(config::TomlTable table);

}  // namespace datum
