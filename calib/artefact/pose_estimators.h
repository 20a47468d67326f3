// Arithmetic of location.h's two estimators, from the faces' moments, independent of coordinate systems.
#pragma once

#include "calib/artefact/face_data.h"
#include "calib/htm_estimate.h"

namespace datum {

/// Errors of the six faces in sequence: (tilt to t1, tilt to t2, offset) of each fit.
using FaceErrors = Eigen::Matrix<double, 3 * face_count, 1>;
using PoseByFaces = Eigen::Matrix<double, 6, 3 * face_count>;

struct PoseEstimate {
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();  // to_from_artefact
  PoseByFaces gain = PoseByFaces::Zero();                // change of (w, d) per unit error of each face
};

/// Block diagonal of the faces' covariances.
Eigen::Matrix<double, 3 * face_count, 3 * face_count> covariance_of(const FaceData& faces);

/// The constructed estimate; gain by central differences.
PoseEstimate constructed_pose(const FaceData& faces, const ArtefactDrawing& drawing);

/// Gauss-Newton from `start` on the distances between drawn and measured planes, weighted by the inverse of
/// each face's covariance. Throws FitRefused where it does not converge.
PoseEstimate joint_pose(const FaceData& faces, const ArtefactDrawing& drawing, const Eigen::Matrix4d& start);

/// Drawn plane less measured plane, in the parameters of each face's fit.
FaceErrors face_residuals(const FaceData& faces, const ArtefactDrawing& drawing, const Eigen::Matrix4d& pose);

}  // namespace datum
