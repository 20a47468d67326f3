// The board's own form, and heights over it where a ring is hidden: boards of 48 x 36 mm whose form is known.
#pragma once

#include <cstdint>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// What such a row's cells are of.
const Body& bare_board();

/// Ten boards: bow, twist, and the height of the middle one of nine bodies, whose ring is hidden.
Tallies measure_warp_frame(const Row& row, std::uint64_t seed);

}  // namespace datum::statistics
