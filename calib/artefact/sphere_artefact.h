// A sphere as calibration artefact: selection of its well-visible cap, its centre, and a transform from
// several spheres.
//
// Towards its equator a sphere is seen at a grazing angle a. A pixel averages over its footprint w (lateral
// standard uncertainty s, w^2 / 12 = s^2) while the surface curves away, so the point lies too deep by w^2 /
// (24 R) (1 + 1 / cos^2 a) along the radius (second derivatives of the height, times cos a). At 40 degrees
// this is 1.35 times its value at the pole, at 80 degrees 17 times. All such points lie inside the sphere:
// the fitted sphere is too small (thesis, section 2.6.1: 37.85 mm for 38.136 mm) and its centre moves along
// the view. Therefore only points whose normal is within an angle of the direction to the sensor are used.
// Within 40 degrees the remaining effect shortens the radius by w^2 / (4.8 R) and moves the centre towards
// the sensor by w^2 / (8 R). Where the footprint is known, points are moved outwards by the formula.
#pragma once

#include "calib/fit/robust.h"
#include "calib/htm_estimate.h"

namespace datum {

struct SphereArtefactSettings {
  double diameter_mm = 0;      // calibrated
  double diameter_u_mm = 0;    // its standard uncertainty
  double cap_angle_rad = 0.7;  // 40 degrees
  double footprint_mm = 0;     // w, from the sensor's lateral resolution; 0: unknown, no correction
  /// Largest difference of the fitted diameter, beside three standard uncertainties.
  double allowed_size_mm = 0.02;
  double allowed_center_u_mm = 0.0025;  // largest of the centre, any axis: 5 um with k = 2
  RobustSettings robust;                // noise_sigma_mm from the sensor's profile
};

struct SphereSighting {
  Fit<Sphere, 4> fit;          // of the cap's points; parameters as fit_sphere's
  double cap_angle_rad = 0;    // requested half angle
  std::size_t beyond_cap = 0;  // points of the sphere outside that angle
  std::size_t foreign = 0;     // points off the sphere: table, stem, speckle, equator
  double correlation = 1;      // factor on the fit's covariance, see cap_correlation
  double size_error_mm = 0;    // fitted diameter minus calibrated diameter
  int selections = 0;          // iterations until the cap was unchanged
};

/// Ratio of the variance of a mean over a piece of the cap to that of independent points. 1 where there are
/// too few points or no significant excess. Pixels of one blur, and form error, correlate.
double cap_correlation(Points cap, const Fit<Sphere, 4>& fit, const Eigen::Vector3d& view,
                       double cap_angle_rad);

/// Finds the sphere among `points` (mm, one coordinate system). `to_sensor` is the direction from the sphere
/// to the sensor (z in sensor coordinates). Refuses, beside fit_sphere_robust's refusals: a cap that leaves
/// its centre more uncertain than allowed, a diameter that contradicts the calibrated one (another sphere,
/// wrong unit or scale, remaining bias), or a cap that does not converge. Throws std::invalid_argument for
/// settings out of range.
SphereSighting find_sphere(Points points, const Eigen::Vector3d& to_sensor,
                           const SphereArtefactSettings& settings);

/// The same point in two coordinate systems, each with its covariance in mm^2.
struct PointPair {
  Eigen::Vector3d to_mm, from_mm;
  Eigen::Matrix3d to_covariance, from_covariance;
};

struct PairAlignment {
  Eigen::Matrix4d matrix;  // to_mm = R from_mm + T, rigid, det = +1
  Matrix6d covariance;     // as HtmEstimate's
  double chi_square = 0;   // 3 n - 6 degrees of freedom
  double rms_mm = 0;
};

/// Least squares over all pairs, each weighted by the covariance of its difference. Starts from the closed
/// solution (W. Kabsch, "A solution for the best rotation to relate two sets of vectors", 1976) with a proper
/// rotation. Refuses: fewer than 3 pairs, non-finite numbers, a covariance that is not positive, collinear
/// points, pairs that fit better mirrored (needs 4 points not in a plane), differences that contradict the
/// covariances (a sphere moved, pairs in the wrong order, scale).
PairAlignment align_pairs(std::span<const PointPair> pairs);

template <class To, class From>
HtmEstimate<To, From> htm_from_pairs(std::span<const PointPair> pairs) {
  const PairAlignment alignment = align_pairs(pairs);
  return {Htm<To, From>(alignment.matrix), alignment.covariance};
}

}  // namespace datum
