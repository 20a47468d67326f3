#include "calib/fit/line_weighted.h"

#include <cmath>
#include <limits>

#include "calib/fit/point_moments.h"

namespace datum {
namespace {

constexpr const char* line_name = "weighted line";
using WeightedPoints = std::span<const WeightedPoint>;

void refuse_bad(WeightedPoints points) {
  if (points.size() < 3) {
    refuse_fit(line_name, "%zu points, needs at least 3 (two fix it, a third shows whether it is one)",
               points.size());
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const WeightedPoint& p = points[i];
    const bool finite = std::isfinite(p.x_mm + p.y_mm) && std::isfinite(p.weight_x + p.weight_y);
    if (finite && p.weight_x > 0 && p.weight_y > 0) continue;
    refuse_fit(line_name, "point %zu is not finite or has a weight that is not positive: leave it out", i);
  }
}

/// Sums over the points at a given slope.
struct View {
  double weight = 0, x = 0, y = 0;  // sum of W, and means weighted with W
  double numerator = 0, denominator = 0;
  double adjusted_x = 0,
         adjusted_xx = 0;  // of the points moved onto the line: mean, and sum of W (x - mean)^2
  double chi_square = 0;

  View(WeightedPoints points, double b) {
    const auto weight_of = [b](const WeightedPoint& p) {
      return p.weight_x * p.weight_y / (p.weight_x + b * b * p.weight_y);
    };
    for (const WeightedPoint& p : points) {
      const double w = weight_of(p);
      weight += w;
      x += w * p.x_mm;
      y += w * p.y_mm;
    }
    x /= weight;
    y /= weight;
    const auto moved_of = [&](const WeightedPoint& p) {
      return weight_of(p) * ((p.x_mm - x) / p.weight_y + b * (p.y_mm - y) / p.weight_x);
    };
    for (const WeightedPoint& p : points) {
      const double w = weight_of(p), moved = moved_of(p), r = p.y_mm - y - b * (p.x_mm - x);
      numerator += w * moved * (p.y_mm - y);
      denominator += w * moved * (p.x_mm - x);
      adjusted_x += w * moved;
      chi_square += w * r * r;
    }
    adjusted_x = x + adjusted_x / weight;
    for (const WeightedPoint& p : points) {
      const double u = x + moved_of(p) - adjusted_x;
      adjusted_xx += weight_of(p) * u * u;
    }
  }
};

double unweighted_slope(WeightedPoints points) {
  const double n = static_cast<double>(points.size());
  double x = 0, y = 0, xx = 0, xy = 0, largest = 0;
  for (const WeightedPoint& p : points) {
    x += p.x_mm / n;
    y += p.y_mm / n;
    largest = std::max(largest, std::abs(p.x_mm));
  }
  for (const WeightedPoint& p : points) {
    xx += (p.x_mm - x) * (p.x_mm - x);
    xy += (p.x_mm - x) * (p.y_mm - y);
  }
  // x coordinates that differ only by rounding.
  if (!(std::sqrt(xx / n) > 8 * std::numeric_limits<double>::epsilon() * largest)) {
    refuse_fit(line_name, "all points have the same x: exchange x and y");
  }
  return xy / xx;
}

}  // namespace

WeightedLine fit_line_weighted(WeightedPoints points) {
  refuse_bad(points);
  const double n = static_cast<double>(points.size());
  double b = unweighted_slope(points);
  for (int iteration = 1; iteration <= 200; ++iteration) {
    const View view(points, b);
    const double next = view.numerator / view.denominator;
    // A quotient of two sums of n terms: a step below their rounding ends the iteration.
    const double rounding = (n + 8) * std::numeric_limits<double>::epsilon() * std::abs(next);
    if (!std::isfinite(next)) break;
    const bool settled = std::abs(next - b) <= rounding || (next == 0 && b == 0);
    b = next;
    if (!settled) continue;
    const View at(points, b);
    // Wilson and Hilferty's quantile of chi-square over its degrees of freedom.
    const double freedom = n - 2, cube_root = 1 - 2 / (9 * freedom) + 4.753 * std::sqrt(2 / (9 * freedom));
    if (at.chi_square > freedom * cube_root * cube_root * cube_root) {
      refuse_fit(line_name,
                 "chi-square is %.4g with %zu points: the weights promise less scatter than the points have",
                 at.chi_square, points.size());
    }
    WeightedLine line{at.y - b * at.x, b, Eigen::Matrix2d::Zero(), at.chi_square, points.size(), iteration};
    const double slope_variance = 1 / at.adjusted_xx;
    line.covariance << 1 / at.weight + at.adjusted_x * at.adjusted_x * slope_variance,
        -at.adjusted_x * slope_variance, -at.adjusted_x * slope_variance, slope_variance;
    return line;
  }
  refuse_fit(line_name,
             "the slope does not settle: the points are no line along x, or it is too steep; exchange x "
             "and y");
}

}  // namespace datum
