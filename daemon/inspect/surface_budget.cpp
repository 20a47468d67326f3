#include "daemon/inspect/surface_budget.h"

#include <Eigen/Geometry>
#include <cmath>

namespace datum {
namespace {

Eigen::Vector3d model_point(const DeviationPlace& place, const SurfaceSources& s) {
  return place.at_mm + Eigen::Map<const Eigen::Vector3d>(s.model.triangles->origin.data());
}

Eigen::Vector3d sensor_point(const DeviationPlace& place, const SurfaceSources& s) {
  return s.shots[place.snapshot].model_from_sensor.inverse() * model_point(place, s);
}

/// How much of an error along the sensor's z lies along the normal.
double share_of_z(const DeviationPlace& place, const SurfaceSources& s) {
  return std::fabs(place.normal.dot(s.shots[place.snapshot].model_from_sensor.rotation().col(2)));
}

double noise_um(const DeviationPlace& place, const SurfaceSources& s) {
  return s.sensor.noise.sigma_um_at(sensor_point(place, s).z()) * share_of_z(place, s);
}

double calibration_um(const DeviationPlace& place, const SurfaceSources& s) {
  if (s.machine_from_sensor.empty()) return 0;
  const Eigen::Vector3d n = s.machine_from_model.rotation() * place.normal;
  const Eigen::Matrix3d c = point_covariance(s.machine_from_sensor[place.snapshot], sensor_point(place, s));
  return 1000 * std::sqrt(std::max(0.0, n.dot(c * n)));
}

/// By the alignment's covariance; without one three shifts and three turns about the placement's origin, each of the stated
/// standard uncertainty.
double placement_um(const DeviationPlace& place, const SurfaceSources& s) {
  if (s.alignment) {
    const HtmEstimate<Model, Machine> estimate{s.machine_from_model.inverse(), *s.alignment};
    const Eigen::Matrix3d c = point_covariance(estimate, s.machine_from_model * model_point(place, s));
    return 1000 * std::sqrt(std::max(0.0, place.normal.dot(c * place.normal)));
  }
  const double arm_mm = model_point(place, s).cross(place.normal).norm();
  return 1000 * Eigen::Vector2d(s.recipe.uncertainty.placement_mm,
                                s.recipe.uncertainty.placement_mrad * 1e-3 * arm_mm)
                    .norm();
}

/// The file's coordinates, and points and corners relative to the middle of the model, in single precision.
double rounding_um(const SurfaceSources& s) {
  const double half_mm = (s.model.high_mm - s.model.low_mm).maxCoeff() / 2 + s.recipe.settings.search_mm;
  return 1000 * (s.model.rounding_mm + 2 * half_mm * 0x1p-24);
}

}  // namespace

double extreme_lift(std::uint64_t windows, int pixels) {
  const double tail = std::pow(static_cast<double>(std::max<std::uint64_t>(windows, 1)), -1.0 / pixels);
  double low = 0, high = 10;
  if (tail >= 0.5) return 0;
  for (int i = 0; i < 60; ++i) {
    const double t = (low + high) / 2;
    (0.5 * std::erfc(t / std::sqrt(2.0)) > tail ? low : high) = t;
  }
  return high;
}

std::vector<UncertaintyTerm> deviation_budget(const DeviationPlace& place, const SurfaceSources& s) {
  const double share = share_of_z(place, s);
  return {{"calibration", calibration_um(place, s)},
          {"placement", placement_um(place, s)},
          {"scale", std::fabs(sensor_point(place, s).z()) * s.sensor.scale_uncertainty_ppm * 1e-3 * share},
          {"linearity", s.sensor.linearity_um * share},
          {"rounding", rounding_um(s)},
          {"reproducibility", s.recipe.uncertainty.reproducibility_um}};
}

std::vector<UncertaintyTerm> extreme_noise(const DeviationPlace& place, std::uint64_t windows,
                                           const SurfaceSources& s) {
  const int pixels = s.recipe.settings.window_px * s.recipe.settings.window_px;
  const double sigma_um = noise_um(place, s);
  return {{"noise", 0.3 * sigma_um},
          {"noise_lift", extreme_lift(windows, pixels) * sigma_um / std::sqrt(3.0)}};
}

std::vector<UncertaintyTerm> mean_noise(const DeviationPlace& place, std::uint64_t points,
                                        const SurfaceSources& s) {
  const double per = s.recipe.settings.correlation_px * s.recipe.settings.correlation_px;
  const double independent = std::max(1.0, static_cast<double>(points) / per);
  return {{"noise", noise_um(place, s) / std::sqrt(independent)}};
}

std::vector<UncertaintyTerm> length_budget(double length_um, const SurfaceSources& s) {
  return {{"scale", std::fabs(length_um) * s.sensor.scale_uncertainty_ppm * 1e-6},
          {"linearity", s.sensor.linearity_um * std::sqrt(2.0)},
          {"rounding", rounding_um(s)},
          {"reproducibility", s.recipe.uncertainty.reproducibility_um}};
}

}  // namespace datum
