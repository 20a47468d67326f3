// What an assignment of points to faces must satisfy before it is believed.
#pragma once

#include <string>

#include "calib/artefact/face_assignment.h"
#include "calib/artefact/segmentation.h"

namespace datum {

/// Fills `evidence`; the first gate that does not hold, in words with its numbers and what to do, or empty.
/// `data` are the fits of assignment.faces, `pose` their joint fit.
std::string refusal_of(const Assignment& assignment, const FaceData& data, const ArtefactDrawing& drawing,
                       const Eigen::Matrix4d& pose, const SegmentationLimits& limits,
                       std::array<FaceEvidence, face_count>& evidence);

}  // namespace datum
