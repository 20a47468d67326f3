// Second levels under a given share of a ring.
#pragma once

#include <vector>

#include "tests/statistics/statistics_row.h"
#include "tests/virtual_cell/twin_board.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum::statistics {

/// A floor ring lies between these distances from its body's outline.
struct Margins {
  double inner_mm, outer_mm;
};
constexpr Margins twin_ring{0.3, 1.2};

/// Patches around one body, not beyond its ring; their places follow from `random` and `counter`.
std::vector<TwinPatch> level_patches(Level level, double step_um, const TwinRect& body, const Margins& ring,
                                     const TwinRandom& random, std::uint64_t counter);

}  // namespace datum::statistics
