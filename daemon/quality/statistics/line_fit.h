// A line through points by least squares (Draper and Smith, "Applied Regression Analysis", chapter 1).
#pragma once

#include <span>

namespace datum::quality {

/// y = intercept + slope x; units are those of x and y.
struct LineFit {
  double slope = 0, intercept = 0;
  double u_slope = 0, u_intercept = 0;  // standard deviations
  double s = 0, df = 0;                 // of the residuals; n - 2
};
/// Every point has the same weight. Throws std::invalid_argument: fewer than three points, another number of y, or all x equal.
LineFit line_fit(std::span<const double> x, std::span<const double> y);

}  // namespace datum::quality
