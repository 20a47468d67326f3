#include <Eigen/LU>
#include <cmath>

#include "calib/fit/point_moments.h"

namespace datum {
namespace {

constexpr const char* plane_name = "plane";

void refuse_shape(const SymmetricEigen& e, const FitLimits& limits) {
  if (e.values[1] < limits.strip * e.values[0]) {
    refuse_fit(
        plane_name,
        "the points lie on a line or a strip (width to length %.2g, needs %.2g): nothing holds the tilt "
        "about it; measure points beside it",
        std::sqrt(std::max(0.0, e.values[1] / e.values[0])), std::sqrt(limits.strip));
  }
  if (e.values[2] > limits.scatter * e.values[1]) {
    refuse_fit(plane_name,
               "the points are no plane (thickness to width %.2g, allowed %.2g): they belong to several "
               "surfaces, or the noise is as large as the patch",
               std::sqrt(e.values[2] / e.values[1]), std::sqrt(limits.scatter));
  }
}

Eigen::Vector3d signed_normal(const Eigen::Vector3d& normal, const Eigen::Vector3d& towards) {
  const double cosine = normal.dot(towards) / towards.norm();
  if (!(std::abs(cosine) > 1e-6)) {
    refuse_fit(plane_name,
               "its normal is perpendicular to the direction that is to give its sign (cosine %.2g): name a "
               "direction off the plane",
               cosine);
  }
  return cosine < 0 ? Eigen::Vector3d(-normal) : normal;
}

}  // namespace

Fit<Plane3, 3> fit_plane(Points points, const Eigen::Vector3d& towards, const FitLimits& limits) {
  const PointMoments m = moments_of(points, plane_name, 4);
  refuse_shape(m.principal, limits);
  Fit<Plane3, 3> fit;
  fit.feature = {m.mean_mm, signed_normal(m.principal.vectors.col(2), towards)};
  double sum = 0, largest = 0;
  for (const Eigen::Vector3d& p : points) {
    const double r = fit.feature.normal.dot(p - m.mean_mm);
    sum += r * r;
    largest = std::max(largest, std::abs(r));
  }
  fit.evidence = evidence_of(points.size(), sum, largest, 3, 1, 0);
  const double variance = fit.evidence.sigma_mm * fit.evidence.sigma_mm;
  if (variance > limits.tilt_rad * limits.tilt_rad * m.principal.values[1]) {
    refuse_fit(plane_name,
               "%zu points with %.3g mm of scatter leave its tilt uncertain by %.2g rad (allowed %.2g): "
               "measure more points, farther apart",
               points.size(), fit.evidence.sigma_mm, std::sqrt(variance / m.principal.values[1]),
               limits.tilt_rad);
  }
  const Eigen::Matrix<double, 3, 2> t = tangents(fit.feature.normal);
  fit.covariance.setZero();
  fit.covariance.topLeftCorner<2, 2>() = variance * Eigen::Matrix2d(t.transpose() * m.scatter * t).inverse();
  fit.covariance(2, 2) = variance / static_cast<double>(points.size());
  return fit;
}

}  // namespace datum
