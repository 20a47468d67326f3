// A small twin board and its view, common to the twin's tests.
#pragma once

#include <Eigen/Geometry>

#include "tests/virtual_cell/twin_render.h"

namespace datum::testing {

/// 20 x 16 mm, deformed; U1 4 x 3 mm, 1 mm high, rotated by 30 degrees; C1 1.6 x 0.8 mm, 0.45 mm high.
inline TwinBoard small_board() {
  TwinBoard board;
  board.size_mm = {20, 16};
  board.shape = {30, -20, 15};
  board.bodies.push_back({"U1", {{7, 8}, {4, 3}, 30}, 1000, 0, 0, false});
  board.bodies.push_back({"C1", {{15, 5}, {1.6, 0.8}, 0}, 450, 0, 0, false});
  return board;
}

/// 0.05 mm pixels; the board is tilted by 5 mrad under the sensor, rotated by 2 degrees, its corner at (1,
/// 0.5, -3) mm.
inline TwinView small_view() {
  TwinView view;
  view.rows = 360;
  view.cols = 440;
  view.x = {0.05, 0};
  view.y = {0.05, 0};
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translate(Eigen::Vector3d(1.2, 0.3, -3));
  pose.rotate(Eigen::AngleAxisd(0.005, Eigen::Vector3d(1, 2, 0).normalized()));
  pose.rotate(Eigen::AngleAxisd(2 * 0.017453292519943295, Eigen::Vector3d::UnitZ()));
  view.sensor_from_board = pose.matrix();
  return view;
}

}  // namespace datum::testing
