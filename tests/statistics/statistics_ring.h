// Second levels under a given share of a ring.
#pragma once

#include <vector>

#include "drivers/virtual/twin_board.h"
#include "drivers/virtual/twin_random.h"
#include "tests/statistics/statistics_row.h"

namespace datum::statistics {

constexpr double inner_margin_mm = 0.3, outer_margin_mm = 1.2, gap_mm = 0.4;

/// Patches around one body; their places follow from `random` and `counter`.
std::vector<TwinPatch> level_patches(Level level, double step_um, const TwinRect& body,
                                     const TwinRandom& random, std::uint64_t counter);

}  // namespace datum::statistics
