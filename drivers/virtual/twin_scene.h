// Geometry of the digital twin: along each pixel's line of sight, what is hit and at which height. No noise.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "drivers/frame/height_frame.h"
#include "drivers/virtual/twin_board.h"

namespace datum {

/// Where the sensor stands. Lines of sight are parallel to the sensor's z; light falls along +x at
/// `shadow_slope`.
struct TwinView {
  int rows = 0, cols = 0;
  AxisScale x, y;           // of the pixel grid, right-handed sensor coordinates
  double shadow_slope = 0;  // length of a shadow over the height that casts it; 0: no shadows
  Eigen::Matrix4d sensor_from_board = Eigen::Matrix4d::Identity();  // rigid, mm
};

/// Row-major, rows*cols. z_mm in sensor coordinates, meaningful where the class is ok or shadow.
struct TwinSurface {
  std::vector<double> z_mm;
  std::vector<PixelClass> classes;  // ok, no_data (beside the board, hole, occlusion) or shadow
};

TwinSurface look_at(const TwinBoard& board, const TwinView& view);

/// The plane top of a body in board coordinates: a point over its centre, its normal, its two axes (unit
/// vectors).
struct TwinTop {
  Eigen::Vector3d point, normal, axis_x, axis_y;
};
TwinTop top_of(const TwinBoard& board, const TwinBody& body);

}  // namespace datum
