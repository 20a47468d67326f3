// The small rigid motion that brings two overlapping snapshots together, restricted to the directions that
// the surface determines.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "calib/htm_estimate.h"
#include "calib/registration/overlap.h"

namespace datum {

struct ShiftFit {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();  // of the overlap, machine coordinates
  double arm_mm = 1;                                    // rms distance of its samples from the center
  /// (w in rad * arm_mm, d in mm): a point p of b, moved by d + w x (p - center), lies on a's surface.
  /// Undetermined directions are zero.
  Vector6d shift_mm = Vector6d::Zero();
  Matrix6d covariance_mm2 = Matrix6d::Zero();  // of the determined directions
  Matrix6d told = Matrix6d::Zero();            // projector on the directions that the surface determines
  std::size_t samples = 0;                     // the smaller number before and after the shift
  double outlier_share = 1;                    // of the samples, after the shift
  double median_mm = 0;                        // of |distance|, after the shift

  /// The overlap determines the shift along machine axis 0, 1, 2.
  bool tells(int axis) const { return told(3 + axis, 3 + axis) > 0.9; }
  Eigen::Vector3d at(const Eigen::Vector3d& point_mm) const;
  Eigen::Matrix3d covariance_at(const Eigen::Vector3d& point_mm) const;
};

/// A direction is determined where the surface carries four times the information that noise of its slopes
/// feigns: some walls or bends, more than a speck of dust. Iterated: `sampled` returns the overlap with b
/// moved by a rigid motion in machine coordinates. Covariance: a wall along a pixel row has one error for all
/// its samples; elsewhere the residuals of each tile of an 8 x 8 grid share one. Points farther from the
/// surface than 3 standard uncertainties (their variance and `expected_mm2` along the normal) are outliers.
ShiftFit fit_shift(const std::function<std::vector<OverlapSample>(const Eigen::Matrix4d& moved)>& sampled,
                   const Eigen::Matrix3d& expected_mm2);

}  // namespace datum
