#include "calib/verify/verification.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace datum {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("verification: ") + what);
}

void check_calibrated(double value_mm, double u_mm) {
  require(value_mm > 0 && std::isfinite(value_mm), "the calibrated length must be positive, in mm");
  require(u_mm >= 0 && std::isfinite(u_mm), "the calibrated length's uncertainty must not be negative");
}

/// The points without the three per mille (rounded down) farthest from the feature fitted to all of them.
std::vector<Eigen::Vector3d> without_worst(Points points, const auto& distance) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(distance(points[a])) < std::abs(distance(points[b]));
  });
  std::vector<Eigen::Vector3d> kept;
  for (std::size_t i = 0; i < points.size() - points.size() * 3 / 1000; ++i) kept.push_back(points[order[i]]);
  return kept;
}

double range(Points points, const auto& distance) {
  double low = INFINITY, high = -INFINITY;
  for (const Eigen::Vector3d& p : points) {
    low = std::min(low, distance(p));
    high = std::max(high, distance(p));
  }
  return high - low;
}

}  // namespace

ProbingError probing_error(Points points, double calibrated_diameter_mm, double calibrated_u_mm,
                           Discard discard) {
  check_calibrated(calibrated_diameter_mm, calibrated_u_mm);
  ProbingError e;
  e.fit = fit_sphere(points);
  const auto distance = [&](const Eigen::Vector3d& p) {
    return (p - e.fit.feature.center_mm).norm() - e.fit.feature.radius_mm;
  };
  std::vector<Eigen::Vector3d> kept(points.begin(), points.end());
  if (discard == Discard::worst_three_per_mille) {
    kept = without_worst(points, distance);
    e.fit = fit_sphere(kept);
    e.fit.evidence.points = points.size();
  }
  e.discarded = points.size() - kept.size();
  e.form_um = 1000 * range(kept, distance);
  e.size_um = 1000 * (2 * e.fit.feature.radius_mm - calibrated_diameter_mm);
  e.size_u_um = 1000 * std::hypot(2 * std::sqrt(e.fit.covariance(3, 3)), calibrated_u_mm);
  return e;
}

SpacingError sphere_spacing_error(const Fit<Sphere, 4>& first, const Fit<Sphere, 4>& second,
                                  double calibrated_distance_mm, double calibrated_u_mm) {
  check_calibrated(calibrated_distance_mm, calibrated_u_mm);
  const Eigen::Vector3d between = second.feature.center_mm - first.feature.center_mm;
  SpacingError e;
  e.measured_mm = between.norm();
  require(e.measured_mm > 0,
          "both spheres have the same centre: give the two measurements of the two spheres");
  const Eigen::Vector3d along = between / e.measured_mm;
  const Eigen::Matrix3d covariance =
      first.covariance.topLeftCorner<3, 3>() + second.covariance.topLeftCorner<3, 3>();
  e.error_um = 1000 * (e.measured_mm - calibrated_distance_mm);
  e.u_um = 1000 * std::sqrt(along.dot(covariance * along) + calibrated_u_mm * calibrated_u_mm);
  return e;
}

FlatnessError flatness_error(Points points, const Eigen::Vector3d& towards, Discard discard) {
  FlatnessError e;
  e.fit = fit_plane(points, towards);
  const auto distance = [&](const Eigen::Vector3d& p) {
    return e.fit.feature.normal.dot(p - e.fit.feature.point_mm);
  };
  std::vector<Eigen::Vector3d> kept(points.begin(), points.end());
  if (discard == Discard::worst_three_per_mille) {
    kept = without_worst(points, distance);
    e.fit = fit_plane(kept, towards);
    e.fit.evidence.points = points.size();
  }
  e.discarded = points.size() - kept.size();
  e.flatness_um = 1000 * range(kept, distance);
  return e;
}

}  // namespace datum
