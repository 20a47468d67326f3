#include "calib/fit/curved_fit.h"

namespace datum {

void refuse_curved(const char* feature, const char* part, bool converged, const FitEvidence& e,
                   double radius_mm, double radius_variance_mm2, const FitLimits& limits) {
  if (!converged || !std::isfinite(radius_mm) || !(radius_mm > 0) || !(radius_variance_mm2 >= 0) ||
      !std::isfinite(radius_variance_mm2)) {
    refuse_fit(feature,
               "no radius fits the %zu points (%d iterations): they lie in a flat piece; measure a larger %s",
               e.points, e.iterations, part);
  }
  if (e.sigma_mm > limits.relative_noise * radius_mm) {
    refuse_fit(feature,
               "the points scatter by %.3g mm about a radius of %.4g mm (allowed %.2g of it): they belong to "
               "another shape; check which points were taken",
               e.sigma_mm, radius_mm, limits.relative_noise);
  }
  const double u = std::sqrt(radius_variance_mm2);
  if (u > limits.relative_radius * radius_mm) {
    refuse_fit(feature,
               "%s too small for its scatter of %.3g mm: the radius would be %.4g mm with a standard "
               "uncertainty of %.3g mm (allowed %.2g of it); measure a larger %s, or more points",
               part, e.sigma_mm, radius_mm, u, limits.relative_radius, part);
  }
}

void refuse_tilt(const char* feature, const char* part, const Eigen::Matrix2d& c, const FitLimits& limits) {
  // Larger eigenvalue of a symmetric 2x2.
  const double middle = (c(0, 0) + c(1, 1)) / 2, half = (c(0, 0) - c(1, 1)) / 2;
  const double u = std::sqrt(middle + std::hypot(half, c(0, 1)));
  if (u <= limits.tilt_rad) return;
  refuse_fit(
      feature,
      "its direction would be uncertain by %.2g rad (allowed %.2g): measure a larger %s, or more points", u,
      limits.tilt_rad, part);
}

}  // namespace datum
