// Factors between radians and degrees.
#pragma once

#include <numbers>

namespace datum {

inline constexpr double deg_per_rad = 180 / std::numbers::pi;
inline constexpr double rad_per_deg = std::numbers::pi / 180;

}  // namespace datum
