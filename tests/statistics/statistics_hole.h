// Round holes, with chamfers and without, as a scan finds them.
#pragma once

#include <cstdint>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// What such a row's cells are of.
const Body& drilled_plate();

/// Ten holes of 3.5 to 4.5 mm radius anywhere between the pixels: radius and both coordinates of the place.
Tallies measure_hole_frame(const Row& row, std::uint64_t seed);

}  // namespace datum::statistics
