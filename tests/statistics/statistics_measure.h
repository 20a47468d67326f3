// One frame through inspect(): its questions, and counts of the answers.
#pragma once

#include <vector>

#include "tests/statistics/statistics_scene.h"
#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// Measures each column of each component with that truth: limits at the truth, and limits that the truth exceeds.
void measure(const Scene& scene, const std::vector<Column>& columns, FloorForm form, Tallies& tallies);

}  // namespace datum::statistics
