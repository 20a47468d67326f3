// Quantities by which an optical 3D sensor is accepted and watched, in the manner of VDI/VDE 2634 part 2: probing
// error (form and size), sphere-spacing error, flatness error.
//
// "In the manner of": the arithmetic is the guideline's as it is commonly described; number and places of the
// artefacts in the measuring volume are the operator's, and no conformity is claimed.
#pragma once

#include "calib/fit/feature.h"

namespace datum {

/// Which points may be left out before the errors are taken. The guideline allows three per mille; it is done
/// only where it is asked for, and every result says how many it were.
enum class Discard { none, worst_three_per_mille };

struct ProbingError {
  double form_um = 0;    // PF: largest minus smallest distance from the fitted centre
  double size_um = 0;    // PS: fitted minus calibrated diameter
  double size_u_um = 0;  // standard uncertainty of PS: of the fit and of the calibrated diameter
  std::size_t discarded = 0;
  Fit<Sphere, 4> fit;  // evidence.points: all, evidence.used: without the discarded ones
};

/// Points of one sphere (mm), already limited to what the sensor sees well (sphere_artefact.h). Refuses what
/// fit_sphere refuses; throws std::invalid_argument where the calibrated diameter is not positive, or its
/// uncertainty negative.
ProbingError probing_error(Points points, double calibrated_diameter_mm, double calibrated_u_mm,
                           Discard discard);

struct SpacingError {
  double measured_mm = 0;
  double error_um = 0;  // SD: measured minus calibrated distance of the centres
  double u_um = 0;  // standard uncertainty: of both centres along their line, and of the calibrated distance
};

/// Two spheres measured independently of each other, in one coordinate system. Throws std::invalid_argument as
/// above.
SpacingError sphere_spacing_error(const Fit<Sphere, 4>& first, const Fit<Sphere, 4>& second,
                                  double calibrated_distance_mm, double calibrated_u_mm);

struct FlatnessError {
  double flatness_um = 0;  // F: largest minus smallest distance from the least-squares plane
  std::size_t discarded = 0;
  Fit<Plane3, 3> fit;
};

/// Points of one flat artefact (mm); `towards` gives the normal's sign only. Refuses what fit_plane refuses.
FlatnessError flatness_error(Points points, const Eigen::Vector3d& towards, Discard discard);

}  // namespace datum
