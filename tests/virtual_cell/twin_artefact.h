// The digital twin of an angled-slot artefact: the drawing's solid, seen from any pose without noise.
//
// The solid is the plate of the drawing. The long slot runs through it from edge to edge. The short slot
// starts at its areas, with an end of the flanks' slope, and runs out at the plate's right edge.
// twin_render.h converts the view to a HeightFrame.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "calib/artefact/drawing.h"
#include "calib/htm.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum {

/// Deviation of a face from the drawing.
struct TwinFaceError {
  double shift_mm = 0;             // along its outward normal
  Eigen::Vector2d tilt_rad{0, 0};  // of the normal, about the face's middle, towards tangents(drawn normal)
  bool unseen = false;             // dirt or glare: no height on it
};

struct TwinArtefact {
  ArtefactDrawing drawing;
  std::array<TwinFaceError, face_count> errors{};
  bool long_slot = true, short_slot = true;       // false: not milled
  std::optional<double> table_mm = std::nullopt;  // z of a visible table around the plate
};

/// The face at each pixel, row-major. Beside the six faces: the short slot's end, the table, or none.
struct TwinArtefactView {
  TwinSurface surface;
  std::vector<std::optional<Face>> face;
};

/// Lines of sight are parallel to the sensor's z; `view` gives the pixel grid, its sensor_from_board is not
/// used. Throws std::invalid_argument where a line of sight would leave a face from behind: the tilt exceeds
/// 90 degrees less the slope, less 5.
TwinArtefactView look_at(const TwinArtefact& artefact, const Htm<Sensor, Artefact>& sensor_from_artefact,
                         const TwinView& view);

/// The face's true plane in artefact coordinates, with its error.
Plane3 true_plane(const TwinArtefact& artefact, Face face);

/// `count` points of one face, uniformly random over its areas, each with an error of `noise_um` (standard
/// deviation) along the sensor's z. Sensor coordinates, an unordered cloud.
std::vector<Eigen::Vector3d> points_on(const TwinArtefact& artefact, Face face,
                                       const Htm<Sensor, Artefact>& sensor_from_artefact, std::size_t count,
                                       double noise_um, std::uint64_t seed);

}  // namespace datum
