// A sphere as calibration artefact: the cap that a sensor sees well, its centre, and a transform from several.
//
// Towards the equator a sphere is seen at a grazing angle a. A pixel is an average over its footprint w, or over
// a lateral uncertainty s (w^2 / 12 = s^2), and the surface bends away under it: the point lies too deep by
// w^2 / (24 R) (1 + 1 / cos^2 a) along the radius (second derivatives of the height, times cos a). At 40 degrees
// that is 1.35 times what it is at the pole, at 80 degrees 17 times. All such points lie inside the sphere, so
// the fitted one is too small (thesis 2.6.1: 37.85 mm for 38.136 mm) and its centre moves along the view. Hence
// only points whose surface normal keeps within an angle of the direction to the sensor are used. Within 40
// degrees the rest of it still shortens the radius by w^2 / (4.8 R) and moves the centre towards the sensor by
// w^2 / (8 R); where the footprint is known, the points are moved out by what the formula says.
#pragma once

#include "calib/fit/robust.h"
#include "calib/htm_estimate.h"

namespace datum {

struct SphereArtefactSettings {
  double diameter_mm = 0;      // calibrated
  double diameter_u_mm = 0;    // its standard uncertainty
  double cap_angle_rad = 0.7;  // 40 degrees
  double footprint_mm = 0;     // w, from the sensor's lateral resolution; 0: unknown, nothing is corrected
  double allowed_size_mm =
      0.02;  // by which the fitted diameter may differ beside three standard uncertainties
  double allowed_center_u_mm = 0.0025;  // of the centre, any axis: 5 um with k = 2
  RobustSettings robust;                // noise_sigma_mm from the sensor's profile
};

struct SphereSighting {
  Fit<Sphere, 4> fit;          // of the cap's points; parameters as fit_sphere's
  double cap_angle_rad = 0;    // half angle that was asked for
  std::size_t beyond_cap = 0;  // points of the sphere that were left out for their angle
  std::size_t foreign = 0;     // points off the sphere: table, stem, speckle, worst of the equator
  double correlation = 1;      // the covariance of the fit is multiplied with it, see cap_correlation
  double size_error_mm = 0;    // fitted diameter minus calibrated diameter
  int selections = 0;          // until the cap stood still
};

/// By how much the variance of a mean over a piece of the cap exceeds that of independent points; 1 where too
/// few points or no significant excess. Pixels of one blur, or form error, scatter together.
double cap_correlation(Points cap, const Fit<Sphere, 4>& fit, const Eigen::Vector3d& view,
                       double cap_angle_rad);

/// The sphere among `points` (mm, one coordinate system); `to_sensor` is the direction in which the sensor is
/// seen from the sphere (z of sensor coordinates). Refuses, beside what fit_sphere_robust refuses: a cap
/// that leaves its centre more uncertain than allowed (too few points, too small), a diameter that contradicts
/// the calibrated one (another sphere, a wrong unit or scale, remaining bias), a cap that does not come to
/// rest. Throws std::invalid_argument for settings that mean nothing.
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

/// Least squares over all pairs, each weighted with the covariance of its difference; starts from the closed
/// solution of Kabsch (1976) with the rotation kept proper. Refuses: fewer than 3 pairs, numbers that are not
/// finite, a covariance that is not positive, points on a line, pairs that fit better mirrored (seen with 4
/// points that are not in a plane; three spheres can't show it), differences that contradict the covariances
/// (a sphere moved, pairs in the wrong order, scale).
PairAlignment align_pairs(std::span<const PointPair> pairs);

template <class To, class From>
HtmEstimate<To, From> htm_from_pairs(std::span<const PointPair> pairs) {
  const PairAlignment alignment = align_pairs(pairs);
  return {Htm<To, From>(alignment.matrix), alignment.covariance};
}

}  // namespace datum
