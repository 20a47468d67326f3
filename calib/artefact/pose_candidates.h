// Where the artefact might lie in a snapshot: every place whose plate and slots look like the drawing's from
// afar.
//
// A plate is a level at which many cells lie; the slots' flanks are cells of the drawn slopes, whose azimuths
// give the rotation about the plate's normal and whose heights give, each, one line on which the slot's
// bottom must be. What a candidate is worth is decided later, point by point.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "calib/artefact/cell_map.h"
#include "calib/artefact/drawing.h"

namespace datum {

struct PoseCandidate {
  Eigen::Matrix4d sensor_from_artefact;
  double score = 0;  // area of flanks that fits, of those drawn
};

struct PoseCandidates {
  std::vector<PoseCandidate> found;  // best first
  std::string missing;  // what the most promising attempt lacked, in words; for when none is found
};

/// Plates tilted by up to `tilt_limit_rad` against the sensor's z, at any rotation about their normal.
PoseCandidates pose_candidates(const CellMap& map, const ArtefactDrawing& drawing, double tilt_limit_rad);

}  // namespace datum
