#include "calib/fit/point_moments.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

namespace datum {

void refuse_fit(const char* feature, const char* format, ...) {
  char text[400];
  va_list numbers;
  va_start(numbers, format);
  std::vsnprintf(text, sizeof text, format, numbers);
  va_end(numbers);
  throw FitRefused(std::string(feature) + ": " + text);
}

PointMoments moments_of(Points points, const char* feature, std::size_t least) {
  if (points.size() < least) {
    refuse_fit(
        feature,
        "%zu points, needs at least %zu (one more than fix it, so that residuals show whether they lie "
        "on it): measure more points",
        points.size(), least);
  }
  const double n = static_cast<double>(points.size());
  double largest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) {
      refuse_fit(feature, "point %zu has a coordinate that is not finite: leave points without a value out",
                 i);
    }
    largest = std::max(largest, points[i].cwiseAbs().maxCoeff());
    if (largest > 1e9) {
      refuse_fit(feature, "point %zu lies %.3g mm from the origin: no coordinate in mm, leave it out", i,
                 largest);
    }
  }
  // Two passes, the second about the first mean, so that rounding scales with the spread.
  PointMoments m;
  m.mean_mm = points[0];
  for (int pass = 0; pass < 2; ++pass) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const Eigen::Vector3d& p : points) sum += p - m.mean_mm;
    m.mean_mm += sum / n;
  }
  m.scatter.setZero();
  for (const Eigen::Vector3d& p : points) m.scatter += (p - m.mean_mm) * (p - m.mean_mm).transpose();
  m.length_mm = std::sqrt(m.scatter.trace() / n);
  // Three coordinates, each rounded in the input and in the subtraction of the mean.
  if (!(m.length_mm > 8 * std::numeric_limits<double>::epsilon() * largest)) {
    refuse_fit(feature, "the %zu points coincide: measure points that are apart", points.size());
  }
  m.principal = symmetric_eigen(m.scatter);
  return m;
}

std::vector<Eigen::Vector3d> scaled(Points points, const PointMoments& m) {
  std::vector<Eigen::Vector3d> q;
  q.reserve(points.size());
  for (const Eigen::Vector3d& p : points) q.push_back((p - m.mean_mm) / m.length_mm);
  return q;
}

FitEvidence evidence_of(std::size_t points, double sum_squares_mm2, double largest_mm, int fixed,
                        int residuals_per_point, int iterations) {
  const double n = static_cast<double>(points), freedom = residuals_per_point * n - fixed;
  return {points,     points,    std::sqrt(sum_squares_mm2 / n), std::sqrt(sum_squares_mm2 / freedom),
          largest_mm, iterations};
}

Eigen::Vector3d with_positive_largest(const Eigen::Vector3d& direction) {
  Eigen::Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  return direction[largest] < 0 ? Eigen::Vector3d(-direction) : direction;
}

}  // namespace datum
