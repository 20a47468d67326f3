// Round holes with and without chamfers, in a scan.
#pragma once

#include <cstdint>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// Column key of such a row's cells.
const Body& drilled_plate();

/// Ten holes of 3.5 to 4.5 mm radius with random subpixel positions: radius and both coordinates of the centre.
Tallies measure_hole_frame(const Row& row, std::uint64_t seed);

}  // namespace datum::statistics
