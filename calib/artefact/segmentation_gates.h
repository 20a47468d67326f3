// Acceptance gates for an assignment of points to faces.
#pragma once

#include <string>

#include "calib/artefact/face_assignment.h"
#include "calib/artefact/segmentation.h"

namespace datum {

/// Fills `evidence`. Returns the first failed gate as text with its numbers and remedy, or empty. `data` are
/// the fits of assignment.faces, `pose` their joint fit.
std::string refusal_of(const Assignment& assignment, const FaceData& data, const ArtefactDrawing& drawing,
                       const Eigen::Matrix4d& pose, const SegmentationLimits& limits,
                       std::array<FaceEvidence, face_count>& evidence);

}  // namespace datum
