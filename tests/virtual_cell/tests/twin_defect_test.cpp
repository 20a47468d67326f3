#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <stdexcept>

#include "tests/virtual_cell/tests/twin_boards.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using testing::small_board;
using testing::small_view;

TEST(TwinDefect, GoodChangesNothing) {
  TwinBoard board = small_board();
  apply_defect(board, "good");
  EXPECT_EQ(truth_of(board)[0].height_um, 1000);
  EXPECT_EQ(truth_of(board)[0].tilt_mdeg, 0);
  EXPECT_TRUE(board.occlusions.empty());
}

TEST(TwinDefect, LiftedRaisesOneEndAndKeepsTheOther) {
  TwinBoard board = small_board();
  board.shape = {};
  apply_defect(board, "lifted=C1:80");
  EXPECT_DOUBLE_EQ(truth_of(board)[1].height_um, 450 + 40);
  EXPECT_NEAR(truth_of(board)[1].tilt_mdeg, 2862.4, 0.1);  // atan(0.08 / 1.6)
  const TwinTop top = top_of(board, board.bodies[1]);
  const auto end_um = [&](double side) {
    return 1e3 * (top.point + side * 0.8 / top.axis_x.x() * top.axis_x).z();
  };
  EXPECT_NEAR(end_um(1), 530, 1e-6);
  EXPECT_NEAR(end_um(-1), 450, 1e-6);
}

TEST(TwinDefect, HeightSetsTheTruth) {
  TwinBoard board = small_board();
  apply_defect(board, "height=U1:1130.5");
  EXPECT_EQ(truth_of(board)[0].height_um, 1130.5);
}

TEST(TwinDefect, MissingLeavesTheFloor) {
  TwinBoard board = small_board();
  board.shape = {};
  apply_defect(board, "missing=C1");
  EXPECT_FALSE(truth_of(board)[1].present);
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  const TwinSurface surface = look_at(board, view);
  EXPECT_NEAR(surface.z_mm[100 * 440 + 300], 0, 1e-12);  // C1's centre
  EXPECT_NEAR(surface.z_mm[160 * 440 + 140], 1, 1e-12);  // U1 still stands
}

TEST(TwinDefect, OccludedHidesTheRingOnThreeSides) {
  TwinBoard board = small_board();
  board.shape = {};
  apply_defect(board, "occluded=C1");
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  const TwinSurface surface = look_at(board, view);
  const auto class_at = [&](double x, double y) {
    return surface.classes[static_cast<std::size_t>(std::lround(y / 0.05) * 440 + std::lround(x / 0.05))];
  };
  EXPECT_EQ(class_at(15 + 1.5, 5), PixelClass::no_data);
  EXPECT_EQ(class_at(15 - 1.5, 5), PixelClass::no_data);
  EXPECT_EQ(class_at(15, 5 + 1.5), PixelClass::no_data);
  EXPECT_EQ(class_at(15, 5 - 1.5), PixelClass::ok);
  EXPECT_EQ(class_at(15, 5), PixelClass::ok);  // the body itself is visible
}

TEST(TwinDefect, LevelsAndRampsLieBesideTheBodyAndDarkIsOnIt) {
  TwinBoard board = small_board();
  board.shape = {};
  apply_defect(board, "level=C1:50");
  apply_defect(board, "ramp=U1");
  apply_defect(board, "dark=C1");
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  const TwinSurface surface = look_at(board, view);
  const auto at = [](double x, double y) {
    return static_cast<std::size_t>(std::lround(y / 0.05) * 440 + std::lround(x / 0.05));
  };
  EXPECT_NEAR(surface.z_mm[at(15 + 0.8 + 0.5, 5)], 0.05, 1e-9);
  EXPECT_NEAR(surface.z_mm[at(15 - 0.8 - 0.5, 5)], 0, 1e-9);
  // half way up at 2 + 1.25 mm along U1's +x axis, which is rotated by 30 degrees
  EXPECT_NEAR(surface.z_mm[at(7 + 3.25 * std::cos(0.5236), 8 + 3.25 * std::sin(0.5236))], 0.0175, 3e-4);
  EXPECT_NEAR(surface.dark[at(15 + 0.75, 5)], 0.8, 0.05);
  EXPECT_NEAR(surface.dark[at(15 - 0.75, 5)], 0, 0.05);
}

TEST(TwinDefect, RefusesWhatItDoesNotKnow) {
  const auto message = [](const std::string& defect) {
    TwinBoard board = small_board();
    try {
      apply_defect(board, defect);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message("missing=R99"), HasSubstr("no component 'R99' on this board; one of: U1, C1"));
  EXPECT_THAT(message("melted=U1"),
              HasSubstr("one of: good, lifted=REF[:um], missing=REF, height=REF:um, occluded=REF"));
  EXPECT_THAT(message("height=U1"), HasSubstr("is not known"));
  EXPECT_THAT(message("height=U1:tall"), HasSubstr("'tall' is no height"));
  EXPECT_THAT(message("lifted=U1:-5"), HasSubstr("'-5' is no height"));
  EXPECT_THAT(message(""), HasSubstr("is not known"));
}

}  // namespace
}  // namespace datum
