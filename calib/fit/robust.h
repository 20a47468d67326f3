// Robust fits of points with outliers: RANSAC by the rules of gpu/plane_fit (hypotheses from a counter-based
// generator, sequential stopping rule, least squares repeated to an unchanged inlier set), with orthogonal
// distances and for all features. gpu/plane_fit fits z = a x + b y + c to pixels of a map, which excludes
// steep flanks, lines and spheres.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "calib/fit/feature.h"

namespace datum {

struct RobustSettings {
  double noise_sigma_mm = 0;  // of a point along one axis, from the sensor's noise profile; > 0
  std::uint64_t seed = 0;     // from the calibration's identity; never from a clock
  double confidence = 1 - 1e-9;
  int max_hypotheses = 5000;
  double least_share = 0.3;   // least inlier ratio (daemon/inspection/METROLOGY.md, S5)
  double second_share = 0.8;  // largest second feature, as a share of the best consensus (METROLOGY.md, S5)
};

template <class Feature, int Parameters>
struct RobustFit {
  Fit<Feature, Parameters> fit;        // of the inliers; evidence.points counts all
  std::vector<std::uint32_t> inliers;  // ascending
  int hypotheses = 0;                  // N of the sequential stopping rule
  int refits = 0;                      // least-squares solutions until the inlier set was unchanged
};

/// Covariance as the plain fit's. The result depends on points, settings and seed alone, bit for bit, and not
/// on the order of the points. Inliers lie within 3 sigma of the feature (3.44 for lines and circles in
/// space: the same 0.27 % tail with two residuals), which shortens sigma by 1.3 %. Refuses, beside the plain
/// fit's refusals: no consensus within max_hypotheses, too few inliers, a second feature of nearly as many
/// points, an inlier set that does not converge, inliers whose scatter contradicts noise_sigma_mm. Throws
/// std::invalid_argument for settings out of range.
RobustFit<Plane3, 3> fit_plane_robust(Points points, const Eigen::Vector3d& towards,
                                      const RobustSettings& settings, const FitLimits& limits = {});
RobustFit<Line3, 4> fit_line_robust(Points points, const RobustSettings& settings,
                                    const FitLimits& limits = {});
RobustFit<Circle3, 6> fit_circle_robust(Points points, const RobustSettings& settings,
                                        const FitLimits& limits = {});
RobustFit<Sphere, 4> fit_sphere_robust(Points points, const RobustSettings& settings,
                                       const FitLimits& limits = {});
/// start_direction: the axis within about 30 degrees; without it each hypothesis searches all directions.
RobustFit<Cylinder, 5> fit_cylinder_robust(Points points, const RobustSettings& settings,
                                           const std::optional<Eigen::Vector3d>& start_direction = {},
                                           const FitLimits& limits = {});

}  // namespace datum
