// The surface table of ./datum statistics with few cases: all rows, all forms, the same demands.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/statistics/statistics_surface.h"
#include "tests/statistics/statistics_table.h"

namespace datum::statistics {
namespace {

TEST(SurfaceStatistics, EveryRow) {
  SurfacePlan plan;
  plan.rows = surface_rows();
  plan.parts = 4;
  std::size_t cells = 0;
  run_surfaces(plan, [&](const SurfaceCells& c) {
    for (std::size_t i = 0; i < surface_column_count; ++i, ++cells) {
      const Tally& t = c.tallies[i];
      EXPECT_EQ(shortfall(t, wanted_in(c.row), alpha), "") << fmt::format(
          "{}, {}, {}: {} cases, {} INVALID, {} outside U, {} of {} PASS at the limit, {} at 1.25, bias "
          "{:.2f}, mean U "
          "{:.2f}",
          c.row.name, name_of(c.form), name_of(static_cast<SurfaceColumn>(i)), t.cases, t.invalid, t.outside,
          t.at_limit_passed, t.at_limit, t.beyond_passed, t.bias(), 2 * t.u / std::max(1, t.accepted()));
    }
  });
  EXPECT_EQ(cells, 3 * surface_column_count * plan.rows.size());
}

}  // namespace
}  // namespace datum::statistics
