// The short form of ./datum terminals, and the planes of JESD22-B108 by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/defects/terminal_planes.h"
#include "tests/statistics/terminal_campaign.h"

namespace datum::terminal_test {
namespace {

using namespace statistics;

/// Four corners and a middle.
std::vector<Apex> square(double a, double b, double c, double d, double middle) {
  return {{{-1, -1}, a, 1}, {{1, -1}, b, 1}, {{-1, 1}, c, 1}, {{1, 1}, d, 1}, {{0, 0.2}, middle, 1}};
}

TEST(TerminalPlanes, TheSeatingPlaneIsBorneByThreeThatSurroundTheMiddle) {
  // Corner d is 40 um low; the plane through a, b, c stands over it, at 10 + 10 - 10.
  std::vector<Apex> off = square(10, 10, 10, -30, 0);
  for (Apex& a : off) a.at_mm.array() += 0.1;  // the middle is then nearer to corner a than to d
  const auto plane = seating_plane(off);
  ASSERT_TRUE(plane);
  EXPECT_NEAR(plane->at({1.1, 1.1}), 10, 1e-6);
  EXPECT_EQ(plane->on, (std::array<std::size_t, 3>{0, 1, 2}));
  EXPECT_NEAR(*seating_coplanarity(square(10, 10, 10, -30, 0)), 40, 1e-6);
  // A tilt changes nothing.
  std::vector<Apex> tilted = square(10, 10, 10, -30, 0);
  for (Apex& a : tilted) a.um += 25 * a.at_mm.x() - 13 * a.at_mm.y() + 100;
  EXPECT_NEAR(*seating_coplanarity(tilted), 40, 1e-6);
  // A middle one that stands out bears the part with two corners: it rocks on none that is lower.
  const auto rocking = seating_plane(square(0, 0, 0, 0, 20));
  ASSERT_TRUE(rocking);
  EXPECT_NE(std::find(rocking->on.begin(), rocking->on.end(), 4u), rocking->on.end());
  for (const Apex& a : square(0, 0, 0, 0, 20)) EXPECT_LE(a.um, rocking->at(a.at_mm) + 1e-6);
}

TEST(TerminalPlanes, TheRegressionPlaneIsMovedToTheHighest) {
  // Least squares of the corners alone: 0 where opposite ones rise and fall alike; highest 30, lowest -30.
  std::vector<Apex> corners = square(30, -30, -30, 30, 0);
  corners.pop_back();
  EXPECT_NEAR(*regression_coplanarity(corners), 60, 1e-6);
  EXPECT_NEAR(*seating_coplanarity(corners), 120, 1e-6)
      << "two diagonal corners bear it, and one of the others";
}

TEST(TerminalPlanes, TerminalsOnOneSideBearNothing) {
  std::vector<Apex> apexes = square(0, 1, 2, 3, 4);
  for (Apex& a : apexes) a.at_mm.x() += 1.5;
  EXPECT_FALSE(seating_plane(apexes));
  for (Apex& a : apexes) a.at_mm.x() = 0;
  EXPECT_FALSE(apex_plane(apexes)) << "in a line";
}

TEST(TerminalPlanes, NoiseOfPlaneTerminalsIsTakenOff) {
  std::vector<Apex> apexes;
  double raw = 0;
  for (int i = 0; i < 64; ++i)  // a golden-angle sequence stands for noise of 1 um
    apexes.push_back({{i % 8 - 3.5, i / 8 - 3.5}, 1.4 * std::sin(2.399963 * i * i), 1});
  raw = *seating_coplanarity(apexes);
  const auto v = without_lift(apexes, seating_coplanarity);
  ASSERT_TRUE(v);
  EXPECT_GT(raw, 2);
  EXPECT_LT(std::abs(v->value), 2 * std::hypot(v->u, v->u_bias)) << "0 within U";
  EXPECT_LT(v->value, raw / 2);
}

TEST(Terminals, AreKnownToTheirUAndNothingBeyondALimitPasses) {
  TerminalPlan plan;
  plan.threads = 2;
  plan.frames = 18;
  const TerminalCells cells = run_terminals(plan);
  std::map<Characteristic, std::pair<int, int>> in;  // of all worlds
  for (const auto& [key, t] : cells.cells) {
    EXPECT_EQ(t.beyond_passed, 0) << name_of(key.first) << " " << name_of(key.second);
    for (const double s : t.sigmas) {
      in[key.first].first += std::abs(s) <= 2;
      ++in[key.first].second;
    }
  }
  EXPECT_EQ(in.size(), 7u);
  for (const auto& [what, n] : in) {
    EXPECT_GE(n.second, 20) << name_of(what);
    // 95 % less three deviations of a binomial count
    EXPECT_GE(n.first, 0.95 * n.second - 3 * std::sqrt(0.0475 * n.second)) << name_of(what);
  }
  EXPECT_GT(cells.defects, 60);
  EXPECT_EQ(cells.defects_passed, 0);
  EXPECT_GE(cells.defects_named, 0.9 * cells.defects);
  EXPECT_EQ(cells.good_worded, 0);
}

TEST(Terminals, AResultRoundTripsThroughItsText) {
  const TerminalScene s = terminal_scene(TerminalCase::paste, World::white, 0, 7);
  InspectionInputs inputs;
  inputs.recipe = &s.recipe;
  inputs.sensor = &s.profile;
  BoardVerdict v = inspect(s.frame, inputs, cpu_backend(1)), again = inspect(s.frame, inputs, cpu_backend(2));
  v.backend = again.backend = "";  // names the threads
  const std::string json = to_json(v);
  EXPECT_NE(json.find("\"bridged\""), std::string::npos);
  EXPECT_NE(json.find("paste_volume"), std::string::npos);
  EXPECT_TRUE(to_json(verdict_from_json(json)) == json);
  EXPECT_TRUE(json == to_json(again)) << "whatever the threads";
}

}  // namespace
}  // namespace datum::terminal_test
