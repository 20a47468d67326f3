// Geometry of the digital twin: hit object and height along each pixel's line of sight. No noise.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/frame/height_frame.h"
#include "tests/virtual_cell/twin_board.h"

namespace datum {

/// Pose of the sensor. Lines of sight are parallel to the sensor's z; light is along +x with `shadow_slope`.
struct TwinView {
  int rows = 0, cols = 0;
  AxisScale x, y;           // of the pixel grid, right-handed sensor coordinates
  double shadow_slope = 0;  // length of a shadow over its object's height; 0: no shadows
  Eigen::Matrix4d sensor_from_board = Eigen::Matrix4d::Identity();  // rigid, mm
};

/// Row-major, rows*cols. z_mm in sensor coordinates, meaningful where the class is ok or shadow.
struct TwinSurface {
  std::vector<double> z_mm;
  std::vector<PixelClass> classes;         // ok, no_data (beside the board, hole, occlusion) or shadow
  std::vector<std::uint8_t> on_body = {};  // 1 where a body's top is visible; empty: nowhere
  std::vector<float> dark = {};            // share of pixels without a height; empty: 0
};

TwinSurface look_at(const TwinBoard& board, const TwinView& view);

/// Height of a patch over the bare board at a place in board coordinates; none outside it.
std::optional<double> height_um_of(const TwinPatch& patch, const Eigen::Vector2d& at_mm);

/// The plane top of a body in board coordinates: a point over its centre, its normal, its two axes (unit
/// vectors).
struct TwinTop {
  Eigen::Vector3d point, normal, axis_x, axis_y;
};
TwinTop top_of(const TwinBoard& board, const TwinBody& body);

}  // namespace datum
