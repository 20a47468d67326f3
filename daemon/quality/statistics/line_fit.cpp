#include "daemon/quality/statistics/line_fit.h"

#include <cmath>
#include <stdexcept>

namespace datum::quality {

LineFit line_fit(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 3 || x.size() != y.size())
    throw std::invalid_argument("a line needs three points or more, and a y for each x");
  // Sums about the means: sums of squares about 0 cancel.
  const long double n = static_cast<long double>(x.size());
  long double mean_x = 0, mean_y = 0, xx = 0, xy = 0, residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double dx = x[i] - mean_x;
    xx += dx * dx;
    xy += dx * (y[i] - mean_y);
  }
  if (!(xx > 0)) throw std::invalid_argument("a line needs points of different x");
  const long double slope = xy / xx;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double off = y[i] - mean_y - slope * (x[i] - mean_x);
    residual += off * off;
  }
  LineFit fit;
  fit.slope = static_cast<double>(slope);
  fit.intercept = static_cast<double>(mean_y - slope * mean_x);
  fit.df = static_cast<double>(n - 2);
  fit.s = static_cast<double>(std::sqrt(residual / (n - 2)));
  fit.u_slope = static_cast<double>(fit.s / std::sqrt(xx));
  fit.u_intercept = static_cast<double>(fit.s * std::sqrt(1 / n + mean_x * mean_x / xx));
  return fit;
}

}  // namespace datum::quality
