// Generates snapshots of a stepped part, measures them through inspect_surface() and counts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/statistics/statistics_surface_row.h"

namespace datum::statistics {

struct SurfacePlan {
  std::vector<SurfaceRow> rows;
  int parts = 25;
  std::uint64_t seed = 1;
  unsigned threads = 1;
};

/// Rows in their order, each with all forms. The cells do not depend on the number of threads.
void run_surfaces(const SurfacePlan& plan, const std::function<void(const SurfaceCells&)>& done);

}  // namespace datum::statistics
