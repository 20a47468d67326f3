// The four edges of a standing body: places where its height falls through half, pixel line by pixel line.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "daemon/inspection/defects/part_window.h"

namespace datum {

/// A rectangle assumed, in board coordinates; axes are unit vectors as columns.
struct AssumedRect {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  Eigen::Matrix2d axes = Eigen::Matrix2d::Identity();
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  double top_um = 0;  // height of its top
};

struct EdgePoint {
  double along_mm = 0,
         out_mm = 0;     // along the edge from its middle, and outward from it: where the body was last seen
  double hidden_mm = 0;  // width of the missing pixels beyond; 0: body and floor are neighbours
  double weight = 1;
};

/// One side: -x, +x, -y, +y of the rectangle.
struct SeenEdge {
  std::vector<EdgePoint> points;
  int lines = 0;        // pixel lines that cross it
  int left_out = 0;     // points with missing pixels beyond them, where enough had none
  double line_mm = 1;   // their distance along the edge
  double pixel_mm = 1;  // a pixel's way across the edge
  double phase_px = 0;  // pixels by which the edge wanders across its lines from its first to its last one
  bool is_seen() const;
};

/// Lines cross the edges at right angles within 45 degrees and leave out the outer tenth of each side. Between neighbours a
/// point is interpolated at half height. Where enough lines have neighbours, those with missing pixels are left out.
std::array<SeenEdge, 4> edges_of(const PartWindow& window, const AssumedRect& rect, double reach_mm);

/// Standard deviation of the mean, and of the slope (times the number of lines), of pixels' rounding along an edge that wanders
/// by `phase_px` over its lines; in pixels. The rounding is a saw-tooth of the phase, so that its mean over the phase and its
/// moment are sums over harmonics m: sinc^2(m P) / (2 pi^2 m^2), and the like. Below one pixel of wandering the slope's is that
/// of one pixel: the edge's phase is not known better.
double rounding_of_mean_px(double phase_px);
double rounding_of_slope_px(double phase_px);

}  // namespace datum
