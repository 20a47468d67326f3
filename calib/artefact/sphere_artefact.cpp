#include "calib/artefact/sphere_artefact.h"

#include <cmath>
#include <numbers>

#include "calib/fit/point_moments.h"
#include "calib/linear/linear_algebra.h"

namespace datum {
namespace {

constexpr const char* artefact_name = "sphere artefact";

void check(const SphereArtefactSettings& s, const Eigen::Vector3d& to_sensor) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string(artefact_name) + ": " + what);
  };
  if (!(s.diameter_mm > 0) || !std::isfinite(s.diameter_mm)) refuse("diameter_mm must be positive");
  if (!(s.diameter_u_mm >= 0)) refuse("diameter_u_mm must not be negative");
  if (!(s.cap_angle_rad > 0 && s.cap_angle_rad < std::numbers::pi / 2)) {
    refuse("cap_angle_rad must lie between 0 and pi / 2");
  }
  if (!(s.footprint_mm >= 0 && s.footprint_mm < s.diameter_mm / 4)) {
    refuse("footprint_mm must lie between 0 and a quarter of the diameter");
  }
  if (!(s.allowed_size_mm >= 0)) refuse("allowed_size_mm must not be negative");
  if (!(s.allowed_center_u_mm > 0)) refuse("allowed_center_u_mm must be positive");
  if (!to_sensor.allFinite() || !(to_sensor.norm() > 0)) refuse("the direction to the sensor has no length");
}

double largest_u_mm(const Fit<Sphere, 4>& fit) {
  return std::sqrt(eigen_system(fit.covariance.topLeftCorner<3, 3>()).values[2]);
}

/// Points within the cap about a centre, moved outwards by the footprint's correction.
std::vector<Eigen::Vector3d> cap_of(Points sphere, const Eigen::Vector3d& center, const Eigen::Vector3d& view,
                                    const SphereArtefactSettings& s) {
  const double least = std::cos(s.cap_angle_rad);
  const double unit = s.footprint_mm * s.footprint_mm / (12 * s.diameter_mm);
  std::vector<Eigen::Vector3d> cap;
  for (const Eigen::Vector3d& p : sphere) {
    const Eigen::Vector3d outwards = (p - center).normalized();
    const double cosine = outwards.dot(view);
    if (cosine >= least) cap.push_back(p + outwards * (unit * (1 + 1 / (cosine * cosine))));
  }
  return cap;
}

void refuse_doubtful(const SphereSighting& seen, const SphereArtefactSettings& s) {
  const double u = largest_u_mm(seen.fit);
  if (u > s.allowed_center_u_mm) {
    refuse_fit(
        artefact_name,
        "the cap within %.3g degrees (%zu points, scatter %.3g mm) leaves the centre uncertain by %.3g mm "
        "(allowed %.3g): bring the sphere nearer to the middle of the field, or take a larger one",
        s.cap_angle_rad * 180 / std::numbers::pi, seen.fit.evidence.used, seen.fit.evidence.sigma_mm, u,
        s.allowed_center_u_mm);
  }
  const double u_size = std::hypot(2 * std::sqrt(seen.fit.covariance(3, 3)), s.diameter_u_mm);
  if (std::abs(seen.size_error_mm) > s.allowed_size_mm + 3 * u_size) {
    refuse_fit(
        artefact_name,
        "its diameter was found as %.4f mm, calibrated is %.4f mm (allowed %.3g + 3 x %.3g mm): another "
        "sphere, a wrong scale, or points at too steep an angle; check the sphere, reduce the cap angle",
        s.diameter_mm + seen.size_error_mm, s.diameter_mm, s.allowed_size_mm, u_size);
  }
}

}  // namespace

SphereSighting find_sphere(Points points, const Eigen::Vector3d& to_sensor, const SphereArtefactSettings& s) {
  check(s, to_sensor);
  const Eigen::Vector3d view = to_sensor.normalized();
  // The first fit includes points biased near the equator: three four-hundredths of the diameter are twice
  // the thesis' bias.
  RobustSettings wide = s.robust;
  wide.noise_sigma_mm = std::max(wide.noise_sigma_mm, s.diameter_mm / 400);
  const auto first = fit_sphere_robust(points, wide);
  std::vector<Eigen::Vector3d> sphere, cap;
  for (const std::uint32_t i : first.inliers) sphere.push_back(points[i]);

  SphereSighting seen;
  seen.cap_angle_rad = s.cap_angle_rad;
  seen.foreign = points.size() - sphere.size();
  Eigen::Vector3d center = first.fit.feature.center_mm;
  constexpr int most_selections = 50;
  for (seen.selections = 1;; ++seen.selections) {
    cap = cap_of(sphere, center, view, s);
    seen.fit = fit_sphere_robust(cap, s.robust).fit;
    const double moved = (seen.fit.feature.center_mm - center).norm();
    center = seen.fit.feature.center_mm;
    // A hundredth of its uncertainty: remaining effect of single points at the cap's rim.
    if (moved <= 0.01 * largest_u_mm(seen.fit)) break;
    if (seen.selections == most_selections) {
      refuse_fit(
          artefact_name,
          "the cap does not come to rest (the centre still moves by %.3g mm): the points are no sphere",
          moved);
    }
  }
  seen.correlation = cap_correlation(cap, seen.fit, view, s.cap_angle_rad);
  seen.fit.covariance *= seen.correlation;
  seen.beyond_cap = sphere.size() - cap.size();
  seen.size_error_mm = 2 * seen.fit.feature.radius_mm - s.diameter_mm;
  refuse_doubtful(seen, s);
  return seen;
}

}  // namespace datum
