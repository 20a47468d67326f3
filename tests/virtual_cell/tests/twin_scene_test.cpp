#include "tests/virtual_cell/twin_scene.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/virtual_cell/tests/twin_boards.h"

namespace datum {
namespace {

using testing::small_board;
using testing::small_view;

/// Board coordinates of a pixel's point.
Eigen::Vector3d seen(const TwinSurface& surface, const TwinView& view, int row, int col) {
  Eigen::Isometry3d pose;
  pose.matrix() = view.sensor_from_board;
  const double z = surface.z_mm[static_cast<std::size_t>(row) * view.cols + col];
  return pose.inverse() * Eigen::Vector3d(view.x.at(col), view.y.at(row), z);
}

template <class Visit>
void for_each_ok(const TwinSurface& surface, const TwinView& view, Visit&& visit) {
  for (int row = 0; row < view.rows; ++row)
    for (int col = 0; col < view.cols; ++col)
      if (surface.classes[static_cast<std::size_t>(row) * view.cols + col] == PixelClass::ok)
        visit(seen(surface, view, row, col));
}

TEST(TwinScene, EveryPixelOfABareBoardLiesOnItsSurface) {
  TwinBoard board = small_board();
  board.bodies.clear();
  const TwinView view = small_view();
  int pixels = 0;
  for_each_ok(look_at(board, view), view, [&](const Eigen::Vector3d& p) {
    ++pixels;
    // Newton's limit: 1e-9 mm (twin_scene.cpp)
    ASSERT_NEAR(p.z(), floor_at(board, p.x(), p.y()).z_mm, 1e-9);
  });
  // 20 x 16 mm of 0.05 mm pixels; the tilt of 5 mrad shortens it by 1.25e-5, the border by one pixel on each
  // side.
  EXPECT_NEAR(pixels, 400 * 320, 2 * (400 + 320));
}

TEST(TwinScene, ASteeplyTiltedBoardIsMetOnItsSurfaceToo) {
  TwinBoard board = small_board();
  board.bodies.clear();
  board.shape = {100, -80, 60};
  TwinView view = small_view();
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translate(Eigen::Vector3d(1, 1, 0));
  pose.rotate(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitY()));
  view.sensor_from_board = pose.matrix();
  for_each_ok(look_at(board, view), view, [&](const Eigen::Vector3d& p) {
    ASSERT_NEAR(p.z(), floor_at(board, p.x(), p.y()).z_mm, 1e-9);  // as above
  });
}

TEST(TwinScene, TopsLieAtTheTrueHeightAlongTheNormal) {
  const TwinBoard board = small_board();
  const TwinView view = small_view();
  const TwinSurface surface = look_at(board, view);
  for (const TwinBody& body : board.bodies) {
    const Eigen::Vector2d c = body.outline.centre_mm;
    const TwinFloor f = floor_at(board, c.x(), c.y());
    const Eigen::Vector3d foot(c.x(), c.y(), f.z_mm);
    const Eigen::Vector3d up = Eigen::Vector3d(-f.slope_x, -f.slope_y, 1).normalized();
    int on_top = 0;
    for_each_ok(surface, view, [&](const Eigen::Vector3d& p) {
      if ((p.head<2>() - c).norm() > 0.3) return;  // well inside both bodies only
      ++on_top;
      ASSERT_NEAR((p - foot).dot(up) * 1e3, body.height_um, 1e-9 * 1e3) << body.reference;
    });
    EXPECT_NEAR(on_top, 3.14159 * 36, 12) << body.reference;  // a disc of 6 pixels
  }
}

TEST(TwinScene, OutlineTurnsCounterClockwise) {
  TwinBoard board = small_board();
  board.shape = {};
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  const TwinSurface surface = look_at(board, view);
  const auto z_at = [&](double x, double y) {
    return surface.z_mm[static_cast<std::size_t>(std::lround(y / 0.05) * view.cols + std::lround(x / 0.05))];
  };
  // 1.8 mm along U1's own +x axis (half size 2): on the body where it is rotated by +30 degrees, beside it at
  // -30.
  EXPECT_NEAR(z_at(7 + 1.8 * std::cos(0.5236) - 0.5, 8 + 1.8 * std::sin(0.5236) + 0.75), 1.0, 1e-12);
  EXPECT_NEAR(z_at(7 + 1.8 * std::cos(0.5236) - 0.5, 8 - 1.8 * std::sin(0.5236) - 0.75), 0.0, 1e-12);
}

TEST(TwinScene, TiltedTopsHaveTheTiltOfTheTruth) {
  TwinBoard board = small_board();
  board.bodies[0].slope_x = 0.03;
  board.bodies[0].slope_y = -0.04;
  const TwinTop top = top_of(board, board.bodies[0]);
  const TwinFloor f = floor_at(board, 7, 8);
  const Eigen::Vector3d up = Eigen::Vector3d(-f.slope_x, -f.slope_y, 1).normalized();
  const double tilt_mdeg = std::acos(top.normal.dot(up)) * 180e3 / 3.14159265358979;
  EXPECT_NEAR(truth_of(board)[0].tilt_mdeg, tilt_mdeg, 1e-5);
  EXPECT_NEAR(tilt_mdeg, std::atan(0.05) * 180e3 / 3.14159265358979, 1e-5);
}

TEST(TwinScene, ATallBodyThrowsItsShadowAlongPlusX) {
  TwinBoard board = small_board();
  board.shape = {};
  board.bodies = {{"U1", {{7, 8}, {4, 3}, 0}, 1000, 0, 0, false}};
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  view.shadow_slope = 0.5;  // 1 mm high: 0.5 mm long, 10 pixels from x = 9
  const TwinSurface surface = look_at(board, view);
  int shadow = 0;
  for (int col = 0; col < view.cols; ++col)
    shadow += surface.classes[std::size_t{160} * view.cols + col] == PixelClass::shadow;
  EXPECT_NEAR(shadow, 10, 1);
  EXPECT_EQ(surface.classes[160 * 440 + 184], PixelClass::shadow);
  EXPECT_EQ(surface.classes[160 * 440 + 96], PixelClass::ok);  // the lit side
}

TEST(TwinScene, NothingIsSeenBesideTheBoardInHolesAndUnderOcclusions) {
  TwinBoard board = small_board();
  board.holes.push_back({{3, 3}, 1.0});
  board.occlusions.push_back({{12, 12}, {2, 1}, 0});
  const TwinView view = small_view();
  for_each_ok(look_at(board, view), view, [&](const Eigen::Vector3d& p) {
    ASSERT_GE(p.x(), -1e-9);
    ASSERT_LE(p.y(), 16 + 1e-9);
    ASSERT_GT((p.head<2>() - Eigen::Vector2d(3, 3)).norm(), 0.5);
    ASSERT_FALSE(std::abs(p.x() - 12) < 1 && std::abs(p.y() - 12) < 0.5);
  });
}

/// Cells of 0.3 mm do not divide 20 x 16 mm: the last ones have their middle beyond the board, as those of a design do.
TEST(TwinScene, ABoardIsRoutedWiderThanItsReliefReaches) {
  TwinBoard board = small_board();
  board.bodies.clear();
  board.relief = {0.3, 67, 54, std::vector<float>(67 * 54, 20)};
  for (int row = 0; row < 54; ++row)
    for (int column = 0; column < 67; ++column)
      if (row == 53 || column == 66) board.relief.um[std::size_t(row * 67 + column)] = NAN;
  const std::vector<Eigen::Vector2d> corners{{-0.2, -0.2}, {20.2, -0.2}, {20.2, 16.2}, {-0.2, 16.2}};
  for (std::size_t i = 0; i < corners.size(); ++i)
    board.routed.push_back({corners[i], corners[(i + 1) % corners.size()]});
  const TwinView view = small_view();
  int pixels = 0;
  for_each_ok(look_at(board, view), view, [&](const Eigen::Vector3d& p) {
    ++pixels;
    ASSERT_GT(p.x(), -0.2 - 1e-4);  // 20 um at a tilt of 5 mrad
    ASSERT_LT(p.y(), 16.2 + 1e-4);
    ASSERT_NEAR(p.z(), floor_at(board, p.x(), p.y()).z_mm + 0.02, 1e-6);  // float heights
  });
  EXPECT_NEAR(pixels, 408 * 328, 2 * (408 + 328)) << "20.4 x 16.4 mm, its border as above";
}

}  // namespace
}  // namespace datum
