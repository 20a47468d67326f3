// Assignment of points to the artefact's faces at a known pose.
#pragma once

#include <cstdint>
#include <vector>

#include "calib/artefact/face_data.h"

namespace datum {

struct Assignment {
  FacePoints faces;
  std::vector<std::int8_t> face_of;                 // for each point: index of its face, or -1
  std::array<std::size_t, face_count> over_area{};  // points over the face's area, on it or not
  std::size_t beyond = 0;                           // points at the plate's level outside its outline
};

/// A point belongs to the face over whose area it lies, seen along the artefact's z, if it is within
/// `gate_mm` of that face's plane.
Assignment assign_faces(Points points, const ArtefactDrawing& drawing,
                        const Eigen::Matrix4d& sensor_from_artefact, double gate_mm);

/// Repeats the assignment with the same areas against each face's own plane: a point belongs to the face if
/// its residual is within 4 standard deviations (from the median absolute residual).
void trim_to_own_planes(Points points, Assignment& assignment);

}  // namespace datum
