// Second levels under a given share of a ring.
#pragma once

#include <vector>

#include "tests/statistics/statistics_row.h"
#include "tests/virtual_cell/twin_board.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum::statistics {

/// A floor ring, as distances from the outline of its component.
struct Margins {
  double inner_mm, outer_mm;
};
constexpr Margins twin_ring{0.3, 1.2};

/// Patches around one component within its ring; `random` and `counter` determine their places.
std::vector<TwinPatch> level_patches(Level level, double step_um, const TwinRect& body, const Margins& ring,
                                     const TwinRandom& random, std::uint64_t counter);

}  // namespace datum::statistics
