// Geometric features fitted to measured points by orthogonal least squares, from which calibrations are
// built.
//
// Lengths in mm, angles in rad, double, in the points' own coordinate system. Sums of squares are of
// orthogonal distances (geometric, "total" least squares). Every fit carries the covariance of its parameters
// under independent, equal, isotropic noise, whose size is the standard deviation of its own residuals.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>

namespace datum {

struct FitLimits {
  FitLimits() = default;  // no aggregate: {0, 0, 1} is a direction, never three limits
  /// For callers that accept any uncertainty: published examples, samples of a search.
  static FitLimits none() {
    constexpr double any = std::numeric_limits<double>::infinity();
    FitLimits limits;
    limits.tilt_rad = limits.relative_radius = limits.scatter = limits.relative_noise = any;
    limits.strip = 0;
    return limits;
  }

  /// Standard uncertainty of a normal's or direction's tilt. At k = 2 the tangent of 0.1 rad differs from the
  /// angle by 0.3 %, and the effect on a length by 0.5 %, so the first-order covariance holds.
  double tilt_rad = 0.05;

  /// Relative standard uncertainty e of a radius. The radius of an arc or cap is proportional to 1 / sagitta,
  /// so its k = 2 interval ends at R / (1 -+ 2 e): both ends shifted outwards by 4 e of the standard
  /// uncertainty. At 0.05 the interval covers 95.0 %, at 0.09 only 93 %.
  double relative_radius = 0.05;

  /// Squared ratio of thickness to width of a plane's points, of width to length of a line's (eigenvalue
  /// ratios). The eigenvector's variance exceeds the first-order one by 1 / (1 - ratio)^2, 5 % in its root at
  /// 0.05 (daemon/inspection/METROLOGY.md, S7: not a plane).
  double scatter = 0.05;

  /// Squared ratio of width to length of a plane's points. Form error, not visible in residuals, turns a
  /// strip of 1:100 a hundred times more about its length than about its width (METROLOGY.md, S7).
  double strip = 1e-4;

  /// Ratio e of noise to radius. Isotropic noise lengthens a fitted radius by e^2 / 2 of it (circle; sphere:
  /// twice that), which no first-order covariance contains: 0.13 % at 0.05. Beyond it, a few points of a flat
  /// piece can pass for a small round one.
  double relative_noise = 0.05;
};

struct Plane3 {
  Eigen::Vector3d point_mm, normal;  // centroid of the fitted points; |normal| = 1
};

struct Line3 {
  Eigen::Vector3d point_mm, direction;  // centroid of the fitted points; |direction| = 1
};

struct Circle3 {
  Eigen::Vector3d center_mm, normal;  // |normal| = 1
  double radius_mm = 0;
};

struct Sphere {
  Eigen::Vector3d center_mm;
  double radius_mm = 0;
};

struct Cylinder {
  Eigen::Vector3d point_mm,
      direction;  // point of the axis nearest to the points' centroid; |direction| = 1
  double radius_mm = 0;
};

/// Evidence of a fit. Residuals are distances from the feature, in mm.
struct FitEvidence {
  std::size_t points = 0;  // given
  std::size_t used = 0;    // fitted: all, unless a robust fit left out some
  double rms_mm = 0;       // sqrt(sum r^2 / used)
  double sigma_mm = 0;     // sqrt(sum r^2 / degrees of freedom): estimate of the noise along one axis
  double largest_mm = 0;   // of the used points
  int iterations = 0;      // 0 for closed solutions
};

template <class Feature, int Parameters>
struct Fit {
  Feature feature;
  Eigen::Matrix<double, Parameters, Parameters> covariance;  // order and units: see the function
  FitEvidence evidence;
};

/// Points that do not determine the feature; the text states why, with numbers, and what to measure instead.
class FitRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Points = std::span<const Eigen::Vector3d>;

/// Two unit vectors t1, t2 perpendicular to a unit vector, t1 x t2 = direction: t1 is the axis of least
/// |component| (the first of equals) made perpendicular. Tilts in covariances are towards these.
Eigen::Matrix<double, 3, 2> tangents(const Eigen::Vector3d& direction);

/// The sign satisfies dot(normal, towards) > 0. Covariance parameters: tilt of the normal towards t1 and t2
/// (rad; normal + a t1 + b t2), offset along the normal at the centroid (mm). Refuses: not finite, fewer than
/// 4 points, coincident, on a line or a strip thinner than 1:100, scattered (not a plane), a normal within
/// 1e-6 rad of perpendicular to `towards`.
Fit<Plane3, 3> fit_plane(Points points, const Eigen::Vector3d& towards, const FitLimits& limits = {});

/// Parameters: tilt of the direction towards t1 and t2 (rad), offset at the centroid along t1 and t2 (mm). The
/// direction's largest component is positive. Refuses: not finite, fewer than 3 points, coincident, scattered.
Fit<Line3, 4> fit_line(Points points, const FitLimits& limits = {});

/// Circle in space: minimises the sum of squared distances from the curve, plane and circle jointly, which is
/// the least-squares solution for isotropic noise. Parameters: center x, y, z (mm), tilt of the normal
/// towards t1 and t2 (rad), radius (mm). The normal's largest component is positive. Refuses: not finite,
/// fewer than 4 points, on a line, an arc too short for its noise, scattered, no convergence.
Fit<Circle3, 6> fit_circle(Points points, const FitLimits& limits = {});

/// Circle of points projected along a known normal (touches of a hole at several depths), in the plane
/// through their centroid. Parameters: center along t1 and t2 of `normal`, radius (mm). Refuses as
/// fit_circle.
Fit<Circle3, 3> fit_circle(Points points, const Eigen::Vector3d& normal, const FitLimits& limits = {});

/// Parameters: center x, y, z, radius (mm). Refuses: not finite, fewer than 5 points, in a plane, a cap too
/// small for its noise, scattered, no convergence.
Fit<Sphere, 4> fit_sphere(Points points, const FitLimits& limits = {});

/// Parameters: tilt of the direction towards t1 and t2 (rad), offset at point_mm along t1 and t2, radius (mm).
/// The direction's largest component is positive. Refuses: not finite, fewer than 6 points, too short or too
/// narrow a part of it for its noise, scattered, no convergence.
Fit<Cylinder, 5> fit_cylinder(Points points, const FitLimits& limits = {});
/// As above, starting from a direction known within about 30 degrees instead of searching all directions.
Fit<Cylinder, 5> fit_cylinder(Points points, const Eigen::Vector3d& start_direction,
                              const FitLimits& limits = {});

}  // namespace datum
