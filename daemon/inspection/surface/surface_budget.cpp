#include "daemon/inspection/surface/surface_budget.h"

#include <Eigen/Geometry>
#include <cmath>

#include "daemon/inspection/board/floor.h"
#include "daemon/inspection/verdict/normal.h"
#include "daemon/inspection/verdict/quantisation.h"

namespace datum {
namespace {

Eigen::Vector3d model_point(const DeviationPlace& place, const SurfaceSources& s) {
  return place.at_mm + Eigen::Map<const Eigen::Vector3d>(s.model.triangles->origin.data());
}

Eigen::Vector3d sensor_point(const DeviationPlace& place, const SurfaceSources& s) {
  return s.shots[place.snapshot].model_from_sensor.inverse() * model_point(place, s);
}

/// Share of an error along the sensor's z in the direction of the normal.
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

/// By the alignment's covariance; without one, three shifts and three rotations about the placement's origin,
/// each with the stated standard uncertainty.
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

/// Single precision of the file's coordinates, and of points and corners relative to the model's middle.
double rounding_um(const SurfaceSources& s) {
  const double half_mm = (s.model.high_mm - s.model.low_mm).maxCoeff() / 2 + s.recipe.settings.search_mm;
  return 1000 * (s.model.rounding_mm + 2 * half_mm * 0x1p-24);
}

}  // namespace

std::vector<UncertaintyTerm> deviation_budget(const DeviationPlace& place, const SurfaceSources& s) {
  const double share = share_of_z(place, s);
  return {{"calibration", calibration_um(place, s)},
          {"placement", placement_um(place, s)},
          {"scale", std::fabs(sensor_point(place, s).z()) * s.sensor.scale_uncertainty_ppm * 1e-3 * share},
          {"linearity", s.sensor.linearity_um * share},
          {"rounding", rounding_um(s)},
          {"reproducibility", s.recipe.uncertainty.reproducibility_um}};
}

NoiseLift unseen_lift(const DeviationPlace& place, std::uint64_t windows, const SurfaceSources& s) {
  return unseen_lift(noise_um(place, s) / 1000, windows);
}

NoiseLift unseen_lift(double sigma_mm, std::uint64_t windows) {
  NoiseLift lift;
  lift.scatter_mm = 0.3 * sigma_mm;
  lift.form_mm = highest_of_normal(0.95, static_cast<double>(windows)) * sigma_mm / std::sqrt(3.0);
  return lift;
}

double pixel_noise_um(const DeviationPlace& place, const RegionNoise& noise, const SurfaceSources& s) {
  return std::max(noise_um(place, s), 1000 * noise.sigma_mm);
}

double correlated_points(const RegionNoise& noise, const SurfaceSources& s) {
  const double stated = s.recipe.settings.correlation_px;
  return std::max(stated * stated, noise.correlation);
}

std::vector<UncertaintyTerm> mean_noise(const DeviationPlace& place, std::uint64_t points,
                                        const RegionNoise& noise, const SurfaceSources& s) {
  const double independent = std::max(1.0, static_cast<double>(points) / correlated_points(noise, s));
  return {{"noise", pixel_noise_um(place, noise, s) / std::sqrt(independent)}};
}

double most_noise_um(const DeviationPlace& place, const SurfaceSources& s) {
  const double lsb = lsb_um(*s.shots[place.snapshot].frame) * share_of_z(place, s);
  return s.recipe.settings.max_noise_sigmas * std::hypot(noise_um(place, s), lsb / std::sqrt(12.0)) +
         rounding_um(s);
}

SurfaceRounding rounding_of(std::size_t region, const DeviationPlace& place, const RegionNoise& noise,
                            const SurfaceSources& s) {
  const double whole = 1 / std::sqrt(12.0);
  const double share = share_of_z(place, s), lsb = lsb_um(*s.shots[place.snapshot].frame);
  SurfaceRounding r;
  if (!(lsb > 0 && share > 0)) return r;
  const Eigen::Vector3d z = s.shots[place.snapshot].model_from_sensor.rotation().col(2);
  const double slope = s.model.slopes->of(*s.model.triangles, s.model.shapes, region, z, s.threads);
  const double side_mm = std::sqrt(std::max(1e-6, s.model.shapes[region].area_mm2));
  const double steps = std::max(1.0, 1000 * slope * side_mm / lsb);
  // a region without visible noise is not certainly dithered
  const double left = left_of_rounding(1000 * noise.sigma_mm / (lsb * share), whole);
  r.mean_um = lsb * share * left / steps;
  // without dithering, the apparent excess of noise is due to rounding and as large
  const bool dithered = left < whole;
  r.picked_um = lsb * share * whole * (dithered ? 1 : 2);
  r.range_um = lsb * share * whole * (dithered ? 2 : std::sqrt(8.0));
  r.slope = 1.5 * lsb * share * left / whole / side_mm / steps / std::sqrt(3.0);
  return r;
}

std::vector<UncertaintyTerm> length_budget(double length_um, const SurfaceSources& s) {
  return {{"scale", std::fabs(length_um) * s.sensor.scale_uncertainty_ppm * 1e-6},
          {"linearity", s.sensor.linearity_um * std::sqrt(2.0)},
          {"rounding", rounding_um(s)},
          {"reproducibility", s.recipe.uncertainty.reproducibility_um}};
}

}  // namespace datum
