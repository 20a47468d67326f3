// The board that benchmarks measure: 3904 x 3904 int16, 58 bodies with median, tilt and presence.
#pragma once

#include <string>

#include "daemon/inspection/recipe/recipe.h"
#include "drivers/frame/height_frame.h"

namespace datum::bench {

inline constexpr int side_px = 3904, components = 58;
inline constexpr double pitch_mm = 0.02, count_mm = 0.00025;

Recipe make_recipe();
/// The same as a recipe file, for a sensor with this serial number, in sensor coordinates.
std::string recipe_text(const std::string& sensor_serial);
/// Bowed and tilted board, boxes of 800 um, noise of 3 um, 2 % of the pixels without a height.
HeightFrame make_frame(const Recipe& recipe);

}  // namespace datum::bench
