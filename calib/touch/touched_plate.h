// Pose of a flat plate from touches of its upper side and its edges (3-2-1): how a machine sees an artefact whose own features,
// printed lines, give a probe nothing to touch.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calib/htm_estimate.h"
#include "calib/touch/touched.h"

namespace datum {

/// Faces by their outward normals in the plate's coordinates: +z, -x, +x, -y, +y.
enum class PlateFace : std::uint8_t { top, left, right, lower, upper };
inline constexpr std::size_t plate_faces = 5;
const char* name_of(PlateFace face);  // "top", "left", "right", "lower", "upper"
std::optional<PlateFace> plate_face_named(std::string_view name);

/// The upper side lies in z = 0; the edges are upright. Standard uncertainties of the faces against that: each as a shift along
/// the normal, and as a tilt by that amount at the face's end.
struct PlateShape {
  double x_min_mm = 0, x_max_mm = 0, y_min_mm = 0, y_max_mm = 0;
  double u_top_mm = 0, u_edge_mm = 0;
};

struct PlateTouch {
  PlateFace face = PlateFace::top;
  Eigen::Vector3d tip_mm;  // the tip's centre, in the machine's orthogonal axes
};

struct TouchedFace {
  PlateFace face = PlateFace::top;
  std::size_t touches = 0;
  double rms_um = 0;  // of the touches about the drawn face, at the estimated pose
};

struct TouchedPlate {
  Htm<Machine, Artefact> machine_from_plate;
  Matrix6d covariance;  // as HtmEstimate's
  std::vector<TouchedFace> faces;
  double rms_um = 0;

  HtmEstimate<Machine, Artefact> estimate() const { return {machine_from_plate, covariance}; }
};

/// Minimises the distances of all touches from the drawn faces, each weighted by the covariance of touches, probe radius and
/// shape (Gauss-Newton; generalised least squares). `outwards`: approximate direction out of the upper side. Needs 4 touches of
/// the top, 3 of an edge and 2 of another edge across it. Throws FitRefused: fewer, touches that are no number, a top that is no
/// plane, an edge on the wrong side of the plate (left and right exchanged, a plate that lies otherwise), no convergence.
TouchedPlate plate_of_touches(std::span<const PlateTouch> touches, const PlateShape& shape,
                              const Probe& probe, const Eigen::Vector3d& outwards);

}  // namespace datum
