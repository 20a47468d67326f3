// Features measured by a touch probe, whose tip centre lies one radius off the surface on the approach side.
//
// The machine reports the tip's centre in mm, in any coordinate system. The feature is fitted to the centres
// and moved by the radius along its own normal, which is exact for planes, circles and spheres. The direction
// of approach only selects the side.
#pragma once

#include <optional>
#include <vector>

#include "calib/fit/feature.h"

namespace datum {

/// From the probe's calibration on a sphere or ring.
struct Probe {
  double radius_mm = 0;    // effective: of the sphere that replaces the tip
  double u_radius_mm = 0;  // standard uncertainty, common to all touches of this probe
  /// Standard uncertainty of one touch along the surface's normal: repeatability and scales.
  double u_touch_mm = 0;
};

/// Throws FitRefused for a radius or u_touch that is not positive, or a u_radius that is negative or above
/// the radius.
void check(const Probe& probe);

/// The free side of a surface.
enum class Surface : std::uint8_t {
  bore,  // inside the circle: the tip's circle is smaller
  boss,  // outside it: the tip's circle is larger
};

/// Nominal radius of the drawing. Either sign of the compensation gives a radius; only the nominal reveals
/// the wrong sign.
struct NominalRadius {
  double radius_mm = 0, tolerance_mm = 0;
};

/// The surface's feature. `fit` has the covariance of its fit function, with u_touch_mm in place of the
/// residuals' standard deviation where that is smaller (few touches scatter little by chance), and
/// u_radius_mm added.
struct TouchedPlane {
  Fit<Plane3, 3> fit;                       // normal out of the material
  std::vector<Eigen::Vector3d> surface_mm;  // the touches, each moved by the radius along -normal
};

/// `outward`: approximate direction out of the material, of any length. Refuses, beside fit_plane's refusals,
/// a plane more than 60 degrees from it (another face was touched, or left and right are exchanged).
/// `came_from`: a position of the tip's centre before the touch, if known; refused where it lies on the
/// material's side.
TouchedPlane plane_of_touches(Points centres_mm, const Eigen::Vector3d& outward, const Probe& probe,
                              const std::optional<Eigen::Vector3d>& came_from = {});

/// Circle of touches projected along `normal`, in the plane through their mean. Refuses, beside fit_circle's
/// refusals: a boss whose tip circle is within the probe's radius; a radius outside `nominal`, with a hint if
/// the other kind of surface would fit; a `came_from` on the material's side.
Fit<Circle3, 3> circle_of_touches(Points centres_mm, const Eigen::Vector3d& normal, Surface surface,
                                  const Probe& probe, const std::optional<NominalRadius>& nominal = {},
                                  const std::optional<Eigen::Vector3d>& came_from = {});

/// As circle_of_touches, for a ball (boss) or a socket (bore).
Fit<Sphere, 4> sphere_of_touches(Points centres_mm, Surface surface, const Probe& probe,
                                 const std::optional<NominalRadius>& nominal = {},
                                 const std::optional<Eigen::Vector3d>& came_from = {});

}  // namespace datum
