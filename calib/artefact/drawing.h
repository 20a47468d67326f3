// The angled-slot artefact by its drawing: a plane with a long and a short V slot, and six faces to measure.
//
// Artefact coordinates (right-handed, mm): z is the outward normal of the plane LP u RP, which lies in z = 0;
// the bottom line of the long slot, seen along z, is the y axis; that of the short slot meets it at the
// origin; x = y cross z. Left is -x, upper is +y.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calib/fit/feature.h"

namespace datum {

/// In the order of the protocol: left and right plane, left and right flank of the long slot, upper and lower
/// flank of the short slot.
enum class Face { lp, rp, ll, lr, su, sl };
inline constexpr std::size_t face_count = 6;
inline constexpr std::array<Face, face_count> all_faces{Face::lp, Face::rp, Face::ll,
                                                        Face::lr, Face::su, Face::sl};
constexpr std::size_t index_of(Face face) { return static_cast<std::size_t>(face); }
const char* name_of(Face face);  // "LP"
std::optional<Face> face_named(std::string_view name);

/// A rectangle in x and y of the artefact.
struct DrawnArea {
  double x_min_mm = 0, x_max_mm = 0, y_min_mm = 0, y_max_mm = 0;
  bool contains(double x_mm, double y_mm) const {
    return x_mm >= x_min_mm && x_mm <= x_max_mm && y_mm >= y_min_mm && y_mm <= y_max_mm;
  }
};

struct DrawnFace {
  Plane3 plane;                  // point_mm on the slot's bottom line at the origin (LP, RP: the origin)
  std::vector<DrawnArea> areas;  // measuring areas, seen along z; clear of edges and of each other

  bool contains(double x_mm, double y_mm) const;
  /// z of the plane at (x, y).
  double z_mm(double x_mm, double y_mm) const;
  /// True area in mm^2, not its projection along z.
  double area_mm2() const;
  /// Centroid of the areas, on the plane.
  Eigen::Vector3d middle_mm() const;
  /// Largest distance of a corner of the areas from the centroid.
  double reach_mm() const;
};

/// Permitted deviations of the artefact from its drawing.
struct ArtefactTolerance {
  double angle_deg = 0;    // between any two faces
  double position_mm = 0;  // of a face along its normal
  double flatness_mm = 0;  // of a face, peak to valley
  double form_um = 0;      // standard uncertainty of a face against the drawing, not visible in residuals:
                           // applied as a shift, and as a tilt by that amount at reach_mm()
};

struct ArtefactDrawing {
  std::string serial;
  std::string title;
  DrawnArea plate;  // outline
  double thickness_mm = 0;
  double long_depth_mm = 0, short_depth_mm = 0;  // of the bottom lines below the plane
  double short_direction_rad = 0;                // of the short slot's bottom line, from x towards y
  std::array<DrawnFace, face_count> faces;
  ArtefactTolerance tolerance;
  std::string sha256;  // of the drawing's file

  const DrawnFace& face(Face f) const { return faces[index_of(f)]; }
};

/// Grid of `count` touch positions over a face's areas. Artefact coordinates, mm.
std::vector<Eigen::Vector3d> places_on(const DrawnFace& face, std::size_t count);

}  // namespace datum
