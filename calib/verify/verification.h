// Quantities for acceptance and monitoring of optical 3-D sensors, in the manner of VDI/VDE 2634 part 2:
// probing error (form PF, size PS), sphere-spacing error SD, flatness error F.
//
// "In the manner of": the arithmetic follows the guideline as commonly described. Number and places of the
// artefacts in the measuring volume are the operator's choice, and no conformity is claimed.
#pragma once

#include "calib/fit/feature.h"

namespace datum {

/// Points that may be discarded before errors are evaluated. The guideline allows three per mille; they are
/// discarded only on request, and every result states their number.
enum class Discard { none, worst_three_per_mille };

struct ProbingError {
  double form_um = 0;    // PF: largest minus smallest distance from the fitted centre
  double size_um = 0;    // PS: fitted minus calibrated diameter
  double size_u_um = 0;  // standard uncertainty of PS: of the fit and of the calibrated diameter
  std::size_t discarded = 0;
  Fit<Sphere, 4> fit;  // evidence.points: all, evidence.used: without the discarded ones
};

/// Points of one sphere (mm), already limited to its well-visible cap (sphere_artefact.h). Refuses as
/// fit_sphere. Throws std::invalid_argument where the calibrated diameter is not positive or its uncertainty
/// is negative.
ProbingError probing_error(Points points, double calibrated_diameter_mm, double calibrated_u_mm,
                           Discard discard);

struct SpacingError {
  double measured_mm = 0;
  double error_um = 0;  // SD: measured minus calibrated distance of the centres
  double u_um = 0;  // standard uncertainty: of both centres along their line, and of the calibrated distance
};

/// Two spheres measured independently in one coordinate system. Throws std::invalid_argument as above.
SpacingError sphere_spacing_error(const Fit<Sphere, 4>& first, const Fit<Sphere, 4>& second,
                                  double calibrated_distance_mm, double calibrated_u_mm);

struct FlatnessError {
  double flatness_um = 0;  // F: largest minus smallest distance from the least-squares plane
  std::size_t discarded = 0;
  Fit<Plane3, 3> fit;
};

/// Points of one flat artefact (mm); `towards` gives only the normal's sign. Refuses as fit_plane.
FlatnessError flatness_error(Points points, const Eigen::Vector3d& towards, Discard discard);

}  // namespace datum
