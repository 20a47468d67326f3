// Candidate poses of the artefact in a snapshot: places where plate and slots coarsely match the drawing.
//
// A plate is a level at which many cells lie. The slots' flanks are cells with the drawn slopes: their
// azimuths give the rotation about the plate's normal, and their heights give a line for each slot's bottom.
// Candidates are judged later, point by point.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "calib/artefact/cell_map.h"
#include "calib/artefact/drawing.h"

namespace datum {

struct PoseCandidate {
  Eigen::Matrix4d sensor_from_artefact;
  double score = 0;  // area of matching flanks over their drawn area
};

struct PoseCandidates {
  std::vector<PoseCandidate> found;  // best first
  std::string missing;               // why the best attempt failed; used when no candidate is found
};

/// Plates tilted by up to `tilt_limit_rad` against the sensor's z, at any rotation about their normal.
PoseCandidates pose_candidates(const CellMap& map, const ArtefactDrawing& drawing, double tilt_limit_rad);

}  // namespace datum
