// One frame through inspect(): what is asked, and what is counted of the answers.
#pragma once

#include <vector>

#include "tests/statistics/statistics_scene.h"
#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// Asks each column of each component whose truth has it: limits on the truth, and limits that the truth exceeds.
void measure(const Scene& scene, const std::vector<Column>& columns, FloorForm form, Tallies& tallies);

}  // namespace datum::statistics
