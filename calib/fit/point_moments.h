// First and second moments of a set of points, and refusals common to all fits.
#pragma once

#include <string>
#include <vector>

#include "calib/fit/feature.h"
#include "calib/fit/symmetric_eigen.h"

namespace datum {

struct PointMoments {
  Eigen::Vector3d mean_mm;
  Eigen::Matrix3d scatter;   // sum of (p - mean)(p - mean)^T, mm^2
  SymmetricEigen principal;  // of the scatter
  double length_mm = 0;      // sqrt(trace / n): rms distance from the mean
};

/// Refuses, in the name of `feature` ("plane"), fewer than `least` points, a non-finite point, and points
/// that coincide within the rounding of their coordinates.
PointMoments moments_of(Points points, const char* feature, std::size_t least);

/// Points about the mean, in units of length_mm: angles and lengths of a fit become comparable.
std::vector<Eigen::Vector3d> scaled(Points points, const PointMoments& moments);

/// Statistics of residuals; `fixed` is the number of parameters, `residuals_per_point` 1 or 2 (line, circle).
FitEvidence evidence_of(std::size_t points, double sum_squares_mm2, double largest_mm, int fixed,
                        int residuals_per_point, int iterations);

/// Throws FitRefused "feature: text", the text formatted as printf does.
[[noreturn]] void refuse_fit(const char* feature, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

/// The one of +direction and -direction whose component of largest magnitude is positive.
Eigen::Vector3d with_positive_largest(const Eigen::Vector3d& direction);

}  // namespace datum
