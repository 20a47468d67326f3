// Validation of knots; unusable ones are refused by name.
#pragma once

#include <vector>

#include "calib/warp/thin_plate.h"

namespace datum {

inline constexpr std::size_t least_warp_knots = 4, most_warp_knots = 4096;

/// Throws WarpRefused as ThinPlate's constructor says.
void check_knots(const std::vector<WarpKnot>& knots);

/// Throws WarpRefused with a printf-formatted text.
[[noreturn, gnu::format(printf, 1, 2)]] void refuse_warp(const char* format, ...);

}  // namespace datum
