// The twin's surface from a design.
#include "tests/virtual_cell/twin_design.h"

#include "tests/virtual_cell/twin_scene.h"

#include <gtest/gtest.h>

#include <cmath>

namespace datum::twin_design_test {
namespace {

using namespace design;

/// 20 x 10 mm: copper right of x = 10, a pad, an opening, a legend, a hole.
Design small_design() {
  Design d;
  d.outline = {{0, 0}, {20, 0}, {20, 10}, {0, 10}};
  d.copper_areas.push_back({Side::top, {{{10, 0}, {20, 0}, {20, 10}, {10, 10}}}});
  d.silkscreen.push_back({Side::top, {2, 2}, {4, 2}, 0.2});
  d.mask_openings.push_back({Side::top, {{{2, 4}, {3, 4}, {3, 5}, {2, 5}}}});
  d.holes.push_back({{15, 5}, {15, 5}, 2});
  design::Component c;
  Pad pad;
  pad.copper = {{5, 5}, {1, 0.5}, 90};
  pad.on_top = pad.open_top = true;
  c.pads = {pad};
  d.components = {c};
  return d;
}

TEST(TwinDesign, HasItsLevels) {
  const TwinLevels levels;
  const TwinRelief r = relief_of(small_design(), Side::top, levels);
  EXPECT_EQ(r.at(1, 1), 0);
  EXPECT_EQ(r.at(12, 1), 25);
  EXPECT_EQ(r.at(3, 2), 15);
  EXPECT_EQ(r.at(2.5, 4.5), -20);
  EXPECT_EQ(r.at(5, 5.4), 60) << "turned by 90 degrees";
  EXPECT_EQ(r.at(5.4, 5), 0);
  EXPECT_TRUE(std::isnan(r.at(15.5, 5)));
  EXPECT_TRUE(std::isnan(r.at(-1, 5)));
  EXPECT_EQ(relief_of(small_design(), Side::bottom, levels).at(12, 1), 0) << "the top's copper";
}

TEST(TwinDesign, ABodyStandsOnTheLevelAroundIt) {
  TwinBoard board;
  board.size_mm = {20, 10};
  board.bodies.resize(2);
  board.bodies[0].outline = {{4, 7}, {2, 1}, 30};
  board.bodies[1].outline = {{17, 2}, {2, 1}, 30};
  for (TwinBody& body : board.bodies) body.height_um = 500;
  lay_relief(relief_of(small_design(), Side::top, {}), {}, board);
  EXPECT_EQ(board.bodies[0].base_um, 0);
  EXPECT_EQ(board.bodies[1].base_um, 25);
  EXPECT_DOUBLE_EQ(top_of(board, board.bodies[1]).point.z(), 0.525);
  EXPECT_EQ(truth_of(board)[1].height_um, 500) << "over its floor";
}

TEST(TwinDesign, IsWhatASensorSees) {
  TwinBoard board;
  board.size_mm = {20, 10};
  lay_relief(relief_of(small_design(), Side::top, {}), {}, board);
  TwinView view;
  view.rows = 100;
  view.cols = 200;
  view.x = view.y = {0.1, 0};
  const TwinSurface seen = look_at(board, view);
  const auto at = [&](double x, double y) {
    return static_cast<std::size_t>(std::lround(y * 10)) * 200 +
           static_cast<std::size_t>(std::lround(x * 10));
  };
  EXPECT_NEAR(seen.z_mm[at(12, 1)], 0.025, 1e-9);
  EXPECT_NEAR(seen.z_mm[at(1, 1)], 0, 1e-9);
  EXPECT_EQ(seen.classes[at(15, 5)], PixelClass::no_data);
}

}  // namespace
}  // namespace datum::twin_design_test
