// The part that benchmarks compare with its model: a truncated cone of 45 degrees, 1.19 million facets of 0.2 mm, seen from
// above by one snapshot of 804 x 804 int16 pixels of which some 424,000 lie on it. C2M and PFM are judged.
#pragma once

#include <filesystem>
#include <string>

#include "drivers/frame/height_frame.h"

namespace datum::bench {

inline constexpr std::size_t cone_facets = 1'190'000;
inline constexpr int part_side_px = 804;
inline constexpr double part_pitch_mm = 0.20076, part_count_mm = 0.001;

/// Writes the model, binary STL in mm, and beside it a recipe for a sensor with this serial number, in sensor coordinates.
/// Returns the recipe's file.
std::filesystem::path write_part_recipe(const std::filesystem::path& folder, const std::string& sensor_serial,
                                        std::size_t facets = cone_facets);

/// Noise of 3 um, 1 % of the pixels without a height; beside the part there are none.
HeightFrame make_part_frame();

/// Of the sensor, as TOML.
std::string part_profile_text(const std::string& sensor_serial, const std::string& handedness);

}  // namespace datum::bench
