// A fiducial's place in the intensity image, sub-pixel, by its edges.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/plane_motion.h"

namespace datum {

/// Intensity image over one board. Borrowed. Marks lie on the nominal board plane (height 0).
struct GreyScene {
  const IntensityImage& image;
  const BoardView& view;
};

struct FiducialFit {
  Eigen::Vector2d off_mm =
      Eigen::Vector2d::Zero();  // from its place by the motion, along the view's board axes
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // mm^2, of the measurement alone
  double residual_mm = 0;                                // scale of the edge points about the fit
  Eigen::Vector2d growth_mm = Eigen::Vector2d::Zero();   // of its edges outwards, by OutlinePoint::edge
  double contrast = 0, noise = 0;                        // grey values
  std::size_t points = 0, used = 0;                      // of its outline; those of the fit
};

/// Fit, or why what is there is not this mark.
struct FiducialFinding {
  std::optional<FiducialFit> fit;
  std::string why;
};

/// Fits the mark with the board at `motion`, started `start_mm` from there. Along the normal of each outline point the edge is the
/// place that encloses as much light as is there (the area of the profile over its levels, unbiased for any pixel phase and
/// symmetric blur), levels from medians of either side; least squares with Tukey's biweight for the shift and one growth of each
/// edge. Refused: fewer than 70 % of the points, a size or a form that is not the mark's, less contrast than five times the noise, an
/// inside or a clear zone that is not one surface. Covariance: residual scale, points 1.5 pixels apart being independent,
/// and a fiftieth of a pixel for what the sampling leaves.
FiducialFinding fit_fiducial(const GreyScene& scene, const Fiducial& mark, const PlaneMotion& motion,
                             const Eigen::Vector2d& start_mm);

/// Places within `reach_mm` of the mark's, from the best on, that the normalised cross-correlation of the drawn mark with the image
/// shows (at least 0.45): shifts from its place by the motion in mm. `complete`: false where a part of the range is not in the
/// frame. `glare_limit` below 1: cells count as no brighter than their median and this share of the brightest one's excess over it, so that
/// a glare spot on a pale mark does not outshine it.
struct FiducialCandidates {
  std::vector<Eigen::Vector2d> off_mm;
  bool complete = true;
};
FiducialCandidates fiducial_candidates(const GreyScene& scene, const Fiducial& mark,
                                       const PlaneMotion& motion, double reach_mm, double glare_limit = 1);

}  // namespace datum
