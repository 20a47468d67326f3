// A straight piece of the board's outline in the height map, sub-pixel.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/bare_surface.h"
#include "daemon/inspection/registration/plane_motion.h"

namespace datum {

struct EdgeFit {
  /// Ends of what is seen of it, nominal board coordinates, and their distances outwards from where the motion puts them.
  Eigen::Vector2d first_mm = Eigen::Vector2d::Zero(), last_mm = Eigen::Vector2d::Zero();
  Eigen::Vector2d outward = Eigen::Vector2d::UnitX();    // of the moved board, unit vector
  Eigen::Vector2d off_mm = Eigen::Vector2d::Zero();      // of the first and of the last end
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // mm^2, of both, of the measurement alone
  double residual_mm = 0;                                // scale of the points about the line
  std::size_t points = 0, used = 0;                      // places along the edge; those of the fit
};

/// Fit, or why this edge is not seen.
struct EdgeFinding {
  std::optional<EdgeFit> fit;
  std::string why;
};

/// The edge with the board at `motion`, looked for within `reach_mm`. Inside of it the board's own pixels have heights at its level;
/// beyond it they have none, or deeper ones. Where a part, a clamp or a rail rises over it, and beyond the frame, it is not looked at.
/// In blocks of twelve profiles, 1.5 pixels apart, the place that encloses as much of the board as is there, in units of the board's share
/// of pixels with a height; a robust line through them (Tukey, c = 4.685). Covariance: residual scale, at least a twelfth of a pixel; an
/// edge that runs along the pixels leaves each end open over a pixel, less the more rows of pixels it crosses. Refused: less than half
/// of its length between what is seen, 30 % of it not seen, or no straight line.
EdgeFinding find_outline_edge(const SurfaceScene& scene, const OutlineEdge& edge, const PlaneMotion& motion,
                              double reach_mm);

}  // namespace datum
