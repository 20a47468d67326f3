// Common part of circle, sphere and cylinder fits after their iterations: covariance in mm, and refusals
// based on it.
#pragma once

#include <cmath>

#include "calib/fit/least_squares.h"
#include "calib/fit/point_moments.h"

namespace datum {

/// sigma^2 (J^T J)^-1 with rows and columns of lengths in mm. `is_length` marks those parameters.
template <int N>
Eigen::Matrix<double, N, N> covariance_of(const Normal<N>& normal, double sigma,
                                          const Eigen::Matrix<double, N, 1>& is_length, double length_mm) {
  // sigma and J are in scaled units; a length is length_mm times its scaled value.
  const Eigen::Matrix<double, N, 1> unit = (is_length * length_mm).array() + (1 - is_length.array());
  Eigen::Matrix<double, N, N> covariance = solve_symmetric(normal.jtj, Eigen::MatrixXd::Identity(N, N));
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k) covariance(i, k) *= sigma * sigma * unit[i] * unit[k];
  return covariance;
}

/// Refuses a fit that did not converge, whose residuals scatter like a cloud, or whose radius is too
/// uncertain. `radius` is scaled, `radius_variance_mm2` is the covariance's element. `part` names the part
/// that is too small.
void refuse_curved(const char* feature, const char* part, bool converged, const FitEvidence& evidence,
                   double radius_mm, double radius_variance_mm2, const FitLimits& limits);

/// Refuses a direction or normal that is too uncertain.
void refuse_tilt(const char* feature, const char* part, const Eigen::Matrix2d& tilt_covariance,
                 const FitLimits& limits);

}  // namespace datum
