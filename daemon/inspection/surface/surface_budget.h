// Uncertainty budgets of a surface's characteristics (METROLOGY S9), in um.
#pragma once

#include <optional>
#include <span>

#include "calib/htm_estimate.h"
#include "daemon/inspection/surface/surface_compare.h"
#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_snapshots.h"
#include "daemon/inspection/verdict/verdict.h"
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
  const Calibration* calibration = nullptr;          // null in sensor coordinates
  std::span<const SnapshotMotion> motion = {};       // one for each snapshot, or none
};

/// Where a deviation is taken and which way it counts, relative to the model's origin.
struct DeviationPlace {
  Eigen::Vector3d at_mm = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitZ();
  std::uint16_t snapshot = 0;
};

/// Of the deviation at a place, without noise: calibration, the part's placement, the sensor's scale and linearity,
/// rounding, reproducibility.
std::vector<UncertaintyTerm> deviation_budget(const DeviationPlace& place, const SurfaceSources& sources);
/// What noise adds to the extreme of a region too small to show its noise: between 0 and where the highest of so many normal
/// values stays below with 95 %, rectangular; it scatters by 0.3 sigma (the profile's).
NoiseLift unseen_lift(const DeviationPlace& place, std::uint64_t windows, const SurfaceSources& sources);
/// Noise of a mean over so many points: of the profile's sigma or the region's own, the larger; of correlation_px squared points or
/// the region's own S, the larger, one is independent.
std::vector<UncertaintyTerm> mean_noise(const DeviationPlace& place, std::uint64_t points,
                                        const RegionNoise& noise, const SurfaceSources& sources);
/// Points that tell as much as one independent one.
double correlated_points(const RegionNoise& noise, const SurfaceSources& sources);
/// How noisy the region is allowed to be along its normal, um: max_noise_sigmas times the profile, rounding to the LSB included.
double most_noise_um(const DeviationPlace& place, const SurfaceSources& sources);

/// What rounding to the sensor's LSB leaves, standard uncertainties in um along the normal of a region (quantisation.h): in a mean
/// over it, `steps` being those that its facets make across it; in one picked height; in the range of two, which noise
/// or not may be a whole LSB too large or too small; in its slope, um over mm.
struct SurfaceRounding {
  double mean_um = 0, picked_um = 0, range_um = 0, slope = 0;
};
SurfaceRounding rounding_of(std::size_t region, const DeviationPlace& place, const RegionNoise& noise,
                            const SurfaceSources& sources);

/// Of a length within one region or between two, in which a rigid motion cancels: scale, linearity at both ends,
/// reproducibility.
std::vector<UncertaintyTerm> length_budget(double length_um, const SurfaceSources& sources);

}  // namespace datum
