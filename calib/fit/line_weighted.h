// A straight line y = a + b x through points with individual weights of both coordinates (D. York et al.,
// "Unified equations for the slope, intercept, and standard errors of the best straight line", Am. J. Phys.
// 72, 2004). For edges and profiles with points of unequal uncertainty; fit_line treats equal ones.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "calib/fit/feature.h"

namespace datum {

/// Weights are 1 / variance, in 1 / mm^2; errors of x and y are independent.
struct WeightedPoint {
  double x_mm = 0, y_mm = 0;
  double weight_x = 0, weight_y = 0;
};

struct WeightedLine {
  double intercept_mm = 0;                               // a
  double slope = 0;                                      // b, mm per mm
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // of (a, b), from the weights alone
  double chi_square = 0;                                 // sum of squared weighted residuals
  std::size_t points = 0;
  int iterations = 0;
};

/// Refuses: fewer than 3 points, a non-finite number, a weight that is not positive, points without extent in
/// x (exchange the axes), no convergence, chi_square beyond the 1 - 1e-6 quantile (residuals exceed the
/// stated weights).
WeightedLine fit_line_weighted(std::span<const WeightedPoint> points);

}  // namespace datum
