// Uncertainty budgets of a surface's characteristics (METROLOGY S9), in um.
#pragma once

#include <optional>
#include <span>

#include "calib/htm_estimate.h"
#include "daemon/inspect/surface_compare.h"
#include "daemon/inspect/surface_planes.h"
#include "daemon/inspect/verdict.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

/// What a surface's uncertainty is made of. Borrowed.
struct SurfaceSources {
  const SurfaceRecipe& recipe;
  const SurfaceModel& model;
  const SensorProfile& sensor;
  std::span<const SurfaceShot> shots;
  /// For each snapshot; empty in sensor coordinates.
  std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor;
  /// Where the part lies, and how well that is known where it was aligned; none: the recipe's placement with its own
  /// uncertainty.
  Htm<Machine, Model> machine_from_model;
  std::optional<Matrix6d> alignment = std::nullopt;  // covariance of model_from_machine
};

/// Where a deviation is taken and which way it counts, relative to the model's origin.
struct DeviationPlace {
  Eigen::Vector3d at_mm = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitZ();
  std::uint16_t snapshot = 0;
};

/// Standard deviations by which the extreme of `windows` windows of `pixels` pixels each lies outside the surface by noise
/// alone: windows (1 - Phi(t))^pixels = 1, the windows taken as independent, which overstates t; never below 0.
double extreme_lift(std::uint64_t windows, int pixels);

/// Of the deviation at a place, without noise: calibration, the part's placement, the sensor's scale and linearity,
/// rounding, reproducibility.
std::vector<UncertaintyTerm> deviation_budget(const DeviationPlace& place, const SurfaceSources& sources);
/// Noise of an extreme: it scatters by less than 0.3 sigma (as opened_noise) and is lifted by between 0 and t sigma.
std::vector<UncertaintyTerm> extreme_noise(const DeviationPlace& place, std::uint64_t windows,
                                           const SurfaceSources& sources);
/// Noise of a mean over so many points, of which those within correlation_px tell the same.
std::vector<UncertaintyTerm> mean_noise(const DeviationPlace& place, std::uint64_t points,
                                        const SurfaceSources& sources);
/// Of a length within one region or between two, in which a rigid motion cancels: scale, linearity at both ends,
/// reproducibility.
std::vector<UncertaintyTerm> length_budget(double length_um, const SurfaceSources& sources);

}  // namespace datum
