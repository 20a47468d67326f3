// Uncertainty budgets of a surface's characteristics (daemon/inspection/METROLOGY.md, S9), in um.
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

/// Sources of a surface's uncertainty. Borrowed.
struct SurfaceSources {
  const SurfaceRecipe& recipe;
  const SurfaceModel& model;
  const SensorProfile& sensor;
  std::span<const SurfaceShot> shots;
  /// One per snapshot; empty in sensor coordinates.
  std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor;
  /// The part's pose, and its covariance if it was aligned; none: the recipe's placement with its own
  /// uncertainty.
  Htm<Machine, Model> machine_from_model;
  std::optional<Matrix6d> alignment = std::nullopt;  // covariance of model_from_machine
  const Calibration* calibration = nullptr;          // null in sensor coordinates
  std::span<const SnapshotMotion> motion = {};       // one per snapshot, or none
  unsigned threads = 1;                              // of the host; nothing depends on it
};

/// Place and direction of a deviation, relative to the model's origin.
struct DeviationPlace {
  Eigen::Vector3d at_mm = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitZ();
  std::uint16_t snapshot = 0;
};

/// Budget of the deviation at a place, without noise: calibration, the part's placement, the sensor's scale
/// and linearity, rounding, reproducibility.
std::vector<UncertaintyTerm> deviation_budget(const DeviationPlace& place, const SurfaceSources& sources);
/// Noise's excess in the extreme of a region too small to show its own noise: rectangular between 0 and the
/// 95 % quantile of the highest of so many normal values; its standard deviation is 0.3 sigma (the
/// profile's).
NoiseLift unseen_lift(const DeviationPlace& place, std::uint64_t windows, const SurfaceSources& sources);
/// The same of values with this standard deviation.
NoiseLift unseen_lift(double sigma_mm, std::uint64_t windows);
/// Standard deviation of a pixel along the place's normal, um: the larger of the profile's and the region's own.
double pixel_noise_um(const DeviationPlace& place, const RegionNoise& noise, const SurfaceSources& sources);
/// Noise of a mean over so many points: the larger of the profile's sigma and the region's own, and the
/// larger of correlation_px squared and the region's own S as the number of points per independent one.
std::vector<UncertaintyTerm> mean_noise(const DeviationPlace& place, std::uint64_t points,
                                        const RegionNoise& noise, const SurfaceSources& sources);
/// Number of points per independent one.
double correlated_points(const RegionNoise& noise, const SurfaceSources& sources);
/// Largest allowed noise of the region along its normal, um: max_noise_sigmas times the profile's, including
/// rounding to the LSB.
double most_noise_um(const DeviationPlace& place, const SurfaceSources& sources);

/// Standard uncertainties by rounding to the sensor's LSB, in um along a region's normal (quantisation.h): of
/// a mean over it, with `steps` across its facets; of one selected height; of the range of two, which may be
/// a whole LSB too large or too small with or without noise; of its slope, um over mm.
struct SurfaceRounding {
  double mean_um = 0, picked_um = 0, range_um = 0, slope = 0;
};
SurfaceRounding rounding_of(std::size_t region, const DeviationPlace& place, const RegionNoise& noise,
                            const SurfaceSources& sources);

/// Budget of a length within one region or between two, in which a rigid motion cancels: scale, linearity at
/// both ends, reproducibility.
std::vector<UncertaintyTerm> length_budget(double length_um, const SurfaceSources& sources);

}  // namespace datum
