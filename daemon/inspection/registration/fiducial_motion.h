// A board's motion from its fiducials, and from fiducials and bodies together.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/registration/fiducial_fit.h"
#include "daemon/inspection/registration/motion_fit.h"

namespace datum {

/// One listed mark: where it lies, or why it was not found.
struct SoughtFiducial {
  const Fiducial* mark = nullptr;  // borrowed
  FiducialFinding finding;
};

struct FiducialSearch {
  double reach_mm = 0;                                   // around the place by the motion
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  // of the motion
  unsigned threads = 1;
  std::optional<Matrix6d> stretched = {};  // MotionFit::full, where a stretch is estimated
};

/// Of several places that look like a mark the one is taken that lies nearest to where the motion puts it; two within five
/// standard deviations (at least a quarter of the mark) of there refuse it: nothing tells which is the mark.
std::vector<SoughtFiducial> seek_fiducials(const GreyScene& scene, const std::vector<Fiducial>& marks,
                                           const PlaneMotion& motion, const FiducialSearch& search);
std::size_t found_of(const std::vector<SoughtFiducial>& sought);

/// Correction of a motion (MotionFit::correction) with its covariance.
struct MotionEstimate {
  Eigen::Vector3d correction = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
};

struct FiducialMotion {
  MotionEstimate motion;
  double chi2 = 0;  // of the marks' residuals
  int freedom = 0;  // 2 n - 3
};

/// Weighted least squares on the found marks: off = t + w x (p - pivot), each with its measurement's covariance and u_um. Where
/// chi2 exceeds its freedom the covariance is multiplied by their ratio (Birge). At least two marks are needed.
FiducialMotion fit_fiducials(const std::vector<SoughtFiducial>& sought, const PlaneMotion& motion);

/// Weighted mean of two estimates, and chi2 (3 degrees of freedom) of their difference.
struct CombinedMotion {
  MotionEstimate motion;
  double chi2 = 0;
};
CombinedMotion combined(const MotionEstimate& a, const MotionEstimate& b);

/// What the correction leaves of a found mark's place, in mm.
Eigen::Vector2d left_over(const SoughtFiducial& sought, const PlaneMotion& motion,
                          const Eigen::Vector3d& correction);

using Vector6d = Eigen::Matrix<double, 6, 1>;

/// Marks and bodies in one estimate, where a stretch belongs to it: MotionFit::correction, then MotionFit::stretch.
struct StretchedMotion {
  Vector6d correction = Vector6d::Zero();
  Matrix6d covariance = Matrix6d::Zero();
  double marks_chi2 = 0, parts_chi2 = 0;
  int marks_freedom = 0;  // of the marks alone; 0: too few, or on one line
  int parts_freedom = 0;  // of what the bodies add to them
};

/// Weighted least squares for the first `unknowns` (4: similarity, 6: affine) on the found marks, weighted as by fit_fiducials, and on the
/// bodies, whose motion is `motion` with the covariance `bodies`. parts_chi2 is what the bodies add to the marks' own.
StretchedMotion fit_with_stretch(const std::vector<SoughtFiducial>& sought, const PlaneMotion& motion,
                                 const Matrix6d& bodies, int unknowns);
Eigen::Vector2d left_over(const SoughtFiducial& sought, const PlaneMotion& motion,
                          const Vector6d& correction);

/// Quantile of chi2 that a share of 0.001 exceeds, within 1 % (E. B. Wilson, M. M. Hilferty, PNAS 17, 1931, 684).
double chi2_limit(int freedom);

}  // namespace datum
