// The board's form, and heights above it where a ring is hidden: boards of 48 x 36 mm with known form.
#pragma once

#include <cstdint>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// Column key of such a row's cells.
const Body& bare_board();

/// Ten boards: bow, twist, and the height of the middle one of nine components, whose ring is hidden.
Tallies measure_warp_frame(const Row& row, std::uint64_t seed);

BoardVerdict inspect_warp_board(const Row& row, std::uint64_t seed);

}  // namespace datum::statistics
