// The pixels of a window of a frame, told apart by a surface, and the edges of what is missing from it.
// Sensor coordinates.
#pragma once

#include <vector>

#include "calib/fit/feature.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Columns and rows [first, last].
struct PixelWindow {
  int first_row = 0, last_row = 0, first_col = 0, last_col = 0;
  int rows() const { return last_row - first_row + 1; }
  int cols() const { return last_col - first_col + 1; }
};

/// Points in mm of the window's measured pixels.
std::vector<Eigen::Vector3d> points_of(const HeightFrame& frame, const PixelWindow& window);

/// One connected patch (by sides) of pixels without height, or more than edge_depth_mm below the surface and no part of a
/// slope. A slope goes down from the surface in steps of less than edge_depth_mm from pixel to pixel: a chamfer.
struct MissingPatch {
  std::size_t pixels = 0;
  bool at_border = false;  // it touches the window's border
  std::vector<Eigen::Vector3d>
      edge_mm;  // half-way to each neighbour on the surface or a slope, dropped onto the surface
  std::size_t slope_edges = 0;  // of them, to a slope
};

/// What a window shows below its surface.
struct HoleEdges {
  std::vector<MissingPatch> patches;  // in the order of each patch's first pixel
  std::vector<Eigen::Vector3d>
      slope_mm;  // half-way from a slope's pixel to a neighbour on the surface, on the surface
};

/// `surface`: its normal's z is positive; what lies within surface_mm of it belongs to it.
HoleEdges hole_edges(const HeightFrame& frame, const PixelWindow& window, const Plane3& surface,
                     double surface_mm, double edge_depth_mm);

}  // namespace datum
