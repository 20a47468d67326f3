// Classification of a window's pixels by a surface, and the edges of the patches missing from it. Sensor
// coordinates.
#pragma once

#include <vector>

#include "calib/fit/feature.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Columns and rows [first, last], inclusive.
struct PixelWindow {
  int first_row = 0, last_row = 0, first_col = 0, last_col = 0;
  int rows() const { return last_row - first_row + 1; }
  int cols() const { return last_col - first_col + 1; }
};

/// Points in mm of the window's measured pixels.
std::vector<Eigen::Vector3d> points_of(const HeightFrame& frame, const PixelWindow& window);

/// A connected patch (four neighbours) of pixels without height, or more than edge_depth_mm below the surface
/// and not part of a slope. A slope descends from the surface in steps below edge_depth_mm from pixel to
/// pixel: a chamfer.
struct MissingPatch {
  std::size_t pixels = 0;
  bool at_border = false;  // it touches the window's border
  /// Half-way to each neighbour on the surface or a slope, projected onto the surface.
  std::vector<Eigen::Vector3d> edge_mm;
  std::size_t slope_edges = 0;  // edge points that border a slope
};

/// Patches and slopes below a window's surface.
struct HoleEdges {
  std::vector<MissingPatch> patches;  // in the order of each patch's first pixel
  /// Half-way from a slope's pixel to its neighbour on the surface, on the surface.
  std::vector<Eigen::Vector3d> slope_mm;
};

/// `surface` has a normal with positive z; pixels within surface_mm of it belong to it.
HoleEdges hole_edges(const HeightFrame& frame, const PixelWindow& window, const Plane3& surface,
                     double surface_mm, double edge_depth_mm);

}  // namespace datum
