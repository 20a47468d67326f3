// A board's motion from its bodies' displacements: robust least squares, with a covariance from how far the bodies disagree.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "daemon/inspection/registration/body_edges.h"
#include "daemon/inspection/registration/plane_motion.h"

namespace datum {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// Correction of a motion: shift of its pivot in mm and rotation in rad.
struct MotionFit {
  Eigen::Vector3d correction = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  // mm^2, mm rad, rad^2
  Eigen::Vector3d stretch = Eigen::Vector3d::Zero();     // correction of PlaneMotion::stretch
  Matrix6d full =
      Matrix6d::Zero();  // covariance of correction and stretch; 0 of what the model does not estimate
  double residual_mm =
      0;  // scale of the pairs about the fit: 1.4826 times the median of |r|, times sqrt(n / (n - m)), m = 3, 4 or 6 by the model
  Eigen::Vector2d size_off_mm =
      Eigen::Vector2d::Zero();      // median of EdgePair::size_off_mm along x and along y
  std::size_t pairs = 0, used = 0;  // used: with a weight
  bool solved = false;
};

/// Pairs' displacements along their axes about `motion`'s place: a . (t + w x (p - pivot)) = off. Tukey's biweight (c = 6),
/// started from a scale of `start_mm`; the scale is at least `least_mm` (a pixel's quantisation). The covariance is Huber's for
/// M-estimators (P. J. Huber, Robust Statistics, 1981, 7.6), times the square of Student's quantile over the normal one, so that
/// k = 2 covers 95 % with few pairs too. To it half of size_off_mm as half width of a
/// rectangular distribution is added: edges that are biased on one side of all bodies, by shadows or spikes, shift the board by that,
/// and their residuals do not show it. Of size_off_mm half of what the pixels leave open of both edges is deducted: bodies of one
/// size, along the pixels, are rounded to whole pixels alike, by at most that. What two open edges scatter a displacement by, w^2 /
/// 24, and the residuals do not show is common to all bodies: their places lie on the pixels' own grid. It is added, over the farthest
/// body's distance to the rotation and the stretch as well. A stretch dD adds a . R dD (p - pivot) to the displacement. Not solved: fewer
/// than four pairs (with a stretch two more than unknowns), or they leave a direction open.
MotionFit fit_motion(const std::vector<EdgePair>& pairs, const PlaneMotion& motion, double start_mm,
                     double least_mm, BoardModel model = BoardModel::rigid);

/// The motion after a correction.
PlaneMotion corrected(const PlaneMotion& motion, const Eigen::Vector3d& correction);
PlaneMotion corrected(const PlaneMotion& motion, const MotionFit& fit);

/// stretch_rows (plane_motion.h) of a nominal place of the board, with the board at `motion`, along the axes of the motion's place.
Eigen::Matrix<double, 2, 6> place_rows(const Eigen::Vector2d& at_mm, const PlaneMotion& motion);

}  // namespace datum
