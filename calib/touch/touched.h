// Features of a touch probe: its tip's centre stands a radius off the surface, on the side that it came from.
//
// What the machine reports is the centre of the tip, in mm, in whatever coordinates are chosen. The feature
// is fitted to the centres and moved by the radius along its own normal, which is exact for planes, circles
// and spheres: the direction of the probe's approach is not asked for its last degree.
#pragma once

#include <optional>
#include <vector>

#include "calib/fit/feature.h"

namespace datum {

/// From the probe's calibration on a sphere or ring.
struct Probe {
  double radius_mm = 0;    // effective: of the sphere that replaces the tip
  double u_radius_mm = 0;  // standard uncertainty; common to everything that this probe touches
  double u_touch_mm =
      0;  // standard uncertainty of one touch along the surface's normal: repeatability and scales
};

/// Throws FitRefused for a radius or u_touch that is not positive, or a u_radius that is negative or above
/// the radius.
void check(const Probe& probe);

/// Where the free side is.
enum class Surface : std::uint8_t {
  bore,  // within the circle: the tip's circle is smaller
  boss,  // around it: the tip's circle is larger
};

/// What a drawing says of a radius. Both signs of compensation give some radius; only this tells the wrong
/// one.
struct NominalRadius {
  double radius_mm = 0, tolerance_mm = 0;
};

/// The surface's feature. `fit` has the covariance of its fit function, with u_touch_mm in place of the
/// residuals' scatter where that is smaller (few touches scatter little by chance), and u_radius_mm added.
struct TouchedPlane {
  Fit<Plane3, 3> fit;                       // normal out of the material
  std::vector<Eigen::Vector3d> surface_mm;  // the touches, each moved by the radius along -normal
};

/// `outward`: roughly the way out of the material, of any length. Refused, beside what fit_plane refuses: a
/// plane more than 60 degrees away from it (another face was touched, or left and right are exchanged).
/// `came_from`: a position of the tip's centre before it touched, where known: refused if it lies on the
/// material's side (outward points into it).
TouchedPlane plane_of_touches(Points centres_mm, const Eigen::Vector3d& outward, const Probe& probe,
                              const std::optional<Eigen::Vector3d>& came_from = {});

/// Circle of touches seen along `normal`, in the plane through their mean. Refused, beside what fit_circle
/// refuses: a boss whose tips run within the probe's own radius; a radius outside `nominal`, with the word if
/// the other kind of surface would be inside; a `came_from` that lies on the material's side.
Fit<Circle3, 3> circle_of_touches(Points centres_mm, const Eigen::Vector3d& normal, Surface surface,
                                  const Probe& probe, const std::optional<NominalRadius>& nominal = {},
                                  const std::optional<Eigen::Vector3d>& came_from = {});

/// As circle_of_touches, of a ball (boss) or a socket (bore).
Fit<Sphere, 4> sphere_of_touches(Points centres_mm, Surface surface, const Probe& probe,
                                 const std::optional<NominalRadius>& nominal = {},
                                 const std::optional<Eigen::Vector3d>& came_from = {});

}  // namespace datum
