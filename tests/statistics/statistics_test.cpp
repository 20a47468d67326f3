// The table of ./datum statistics with few cases: the same rows, the same demands. A cell of 24 to 960 cases falls short
// below a probability of 1e-4, so this test detects large errors, and the table small ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "tests/statistics/statistics_design.h"
#include "tests/statistics/statistics_real.h"
#include "tests/statistics/statistics_run.h"
#include "tests/statistics/statistics_table.h"
#include "tests/statistics/statistics_warp.h"

namespace datum::statistics {
namespace {

using Chosen = std::function<bool(const std::string& row)>;

Chosen beginning(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& row) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& w) { return row.rfind(w, 0) == 0; });
  };
}

void expect_as_wanted(const Chosen& chosen, const std::vector<std::string>& body_names, int frames) {
  Plan plan;
  plan.frames = frames;
  for (const Row& row : all_rows())
    if (chosen(row.name)) plan.rows.push_back(row);
  ASSERT_FALSE(plan.rows.empty());
  for (const Body& body : bodies())
    for (const std::string& name : body_names)
      if (name == body.name) plan.bodies.push_back(body);
  int cells = 0;
  run(plan, [&](const Cells& c) {
    for (std::size_t i = 0; i < column_count; ++i) {
      const Tally& t = c.tallies[i];
      if (t.cases == 0) continue;
      ++cells;
      const auto column = static_cast<Column>(i);
      Wanted wanted = wanted_in(c.row, c.body, column);
      wanted.outside_least = 0;  // U on quiet boards is two to three times the scatter: the table shows it
      EXPECT_EQ(shortfall(t, wanted, alpha), "") << fmt::format(
          "{}, {}, {}: {} cases, {} INVALID, {} outside U, {} of {} PASS at the limit, {} at 1.25, bias "
          "{:.2f}",
          c.row.name, c.body.name, name_of(column), t.cases, t.invalid, t.outside, t.at_limit_passed,
          t.at_limit, t.beyond_passed, t.bias());
    }
  });
  EXPECT_GE(cells, static_cast<int>(plan.rows.size()));
}

TEST(Statistics, BoardsFromTheLine) { expect_as_wanted(beginning({"production"}), {"0402", "0805"}, 40); }

TEST(Statistics, Noise) {
  expect_as_wanted(beginning({"white", "correlated", "row", "column", "low frequency 50", "LSB"}),
                   {"3 px", "0201", "0805"}, 2);
}

TEST(Statistics, TopsAndMissingPixels) {
  expect_as_wanted(beginning({"top", "missing", "high", "dark", "spikes", "profile sigma"}), {"0201", "0805"},
                   4);
}

TEST(Statistics, Carriers) { expect_as_wanted(beginning({"bow", "ring", "carrier"}), {"0805"}, 4); }

TEST(Statistics, BowUnderLargeBodies) { expect_as_wanted(beginning({"bow", "ring"}), {"10x10"}, 3); }

TEST(Statistics, SpikesThroughTheRim) { expect_as_wanted(beginning({"spikes"}), {"0402"}, 6); }

TEST(Statistics, Floors) { expect_as_wanted(beginning({"floor "}), {"0805"}, 4); }

/// Every other step: 2, 10, 35, 150, 1000 um.
TEST(Statistics, Steps) {
  const auto chosen = [](const std::string& row) {
    if (row.rfind("step ", 0) != 0) return false;
    for (const char* end : {" 2 um", " 10 um", " 35 um", " 150 um", " 1000 um"})
      if (row.compare(row.size() - std::min(row.size(), std::strlen(end)), std::string::npos, end) == 0)
        return true;
    return false;
  };
  expect_as_wanted(chosen, {"0805"}, 1);
}

TEST(Statistics, Settings) {
  expect_as_wanted(beginning({"profile sigma", "refit", "max_rms"}), {"0805"}, 1);
}

/// Diffusion first, so that the board is registered on the heights that are measured; floors by the form last, where the board lies.
/// Each one's effect on the height over the hidden ring is in its budget, and the raw frame goes the same way for the first one's.
TEST(Statistics, FilterRegistrationAndFormComeInTheirOrder) {
  for (const Row& row : all_rows()) {
    if (row.name != "warp placed and filtered, hostile") continue;
    const BoardVerdict v = inspect_warp_board(row, 3);
    ASSERT_EQ(v.reason, Reason::none) << v.detail;
    ASSERT_EQ(v.stages.size(), 2u);
    EXPECT_EQ(v.stages[0].name, "perona_malik");
    EXPECT_EQ(v.stages[1].name, "registration");
    const ComponentVerdict& hidden = v.components.at(4);
    ASSERT_EQ(hidden.checks.at(0).reason, Reason::none) << hidden.checks.at(0).detail;
    ASSERT_TRUE(hidden.warp_floor);
    std::set<std::string> terms;
    for (const UncertaintyTerm& t : hidden.checks.at(0).budget)
      if (t.u > 0) terms.insert(t.name);
    for (const char* name : {"filter", "alignment", "floor_warp_model"})
      EXPECT_TRUE(terms.contains(name)) << name;
    return;
  }
  FAIL() << "no such row";
}

TEST(Statistics, BoardsForms) { expect_as_wanted(beginning({"warp "}), {"0805"}, 2); }

TEST(Statistics, Holes) { expect_as_wanted(beginning({"hole, "}), {"0805"}, 2); }

TEST(Statistics, TheRealBoard) {
  if (!real_board_is_here()) GTEST_SKIP() << "real measurement pemtron/board.ptr is absent";
  expect_as_wanted(beginning({"real board"}), {"0805"}, 10);
}

TEST(Statistics, TwinsOfDesigns) {
  if (!demo_designs_are_here()) GTEST_SKIP() << "no kicad-demos; DATUM_KICAD_DEMOS names their folder";
  DesignPlan plan;
  for (const DesignRow& row : design_rows())
    if (row.name == "twin of complex_hierarchy" || row.name == "twin of StickHub, bottom")
      plan.rows.push_back(row);
  plan.frames = 3;
  int rows = 0;
  run_designs(plan, [&](const DesignCells& c) {
    ++rows;
    SCOPED_TRACE(c.row.name);
    EXPECT_GT(10 * c.floors, 8 * c.parts);
    EXPECT_GT(c.height.accepted(), c.parts);
    EXPECT_EQ(shortfall(c.height, wanted_in(c), alpha), "") << fmt::format(
        "{} heights, {} INVALID, {} outside U, {} of {} PASS at the limit, {} beyond, bias {:.2f}",
        c.height.cases, c.height.invalid, c.height.outside, c.height.at_limit_passed, c.height.at_limit,
        c.height.beyond_passed, c.height.bias());
    EXPECT_EQ(c.missing.beyond_passed, 0) << "a missing part passes";
  });
  EXPECT_EQ(rows, 2);
}

}  // namespace
}  // namespace datum::statistics
