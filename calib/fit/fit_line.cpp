#include <Eigen/Geometry>
#include <cmath>

#include "calib/fit/point_moments.h"

namespace datum {

Fit<Line3, 4> fit_line(Points points, const FitLimits& limits) {
  constexpr const char* name = "line";
  const PointMoments m = moments_of(points, name, 3);
  const Eigen::Vector3d& spread = m.principal.values;
  if (spread[1] > limits.scatter * spread[0]) {
    refuse_fit(
        name,
        "the points are no line (width to length %.2g, allowed %.2g): they belong to several edges, or "
        "the noise is as large as the piece",
        std::sqrt(spread[1] / spread[0]), std::sqrt(limits.scatter));
  }
  Fit<Line3, 4> fit;
  fit.feature = {m.mean_mm, with_positive_largest(m.principal.vectors.col(0))};
  double sum = 0, largest = 0;
  for (const Eigen::Vector3d& p : points) {
    const double r2 = fit.feature.direction.cross(p - m.mean_mm).squaredNorm();
    sum += r2;
    largest = std::max(largest, std::sqrt(r2));
  }
  fit.evidence = evidence_of(points.size(), sum, largest, 4, 2, 0);
  const double variance = fit.evidence.sigma_mm * fit.evidence.sigma_mm;
  const double tilt = variance / spread[0], offset = variance / static_cast<double>(points.size());
  if (tilt > limits.tilt_rad * limits.tilt_rad) {
    refuse_fit(name,
               "%zu points with %.3g mm of scatter leave its direction uncertain by %.2g rad (allowed %.2g): "
               "measure more points, farther apart",
               points.size(), fit.evidence.sigma_mm, std::sqrt(tilt), limits.tilt_rad);
  }
  fit.covariance = Eigen::Vector4d(tilt, tilt, offset, offset).asDiagonal();
  return fit;
}

}  // namespace datum
