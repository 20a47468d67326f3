#include <Eigen/Geometry>
#include <cmath>

#include "calib/artefact/pose_estimators.h"
#include "calib/linear/linear_algebra.h"

namespace datum {

namespace {

using Jacobian = Eigen::Matrix<double, 3, 6>;

/// A drawn face in measured coordinates, and the measured face.
struct Pair {
  Pair(const FaceDatum& face, const DrawnFace& drawn, const Eigen::Matrix4d& pose)
      : measured(face.fit.feature),
        t(tangents(measured.normal)),
        normal(pose.topLeftCorner<3, 3>() * drawn.plane.normal),
        point(pose.topLeftCorner<3, 3>() * drawn.plane.point_mm + pose.topRightCorner<3, 1>()),
        facing(normal.dot(measured.normal)) {}

  /// Tilts, and height of the drawn plane over the measured centroid, along the measured normal.
  Eigen::Vector3d residual() const {
    return {normal.dot(t.col(0)) / facing, normal.dot(t.col(1)) / facing,
            normal.dot(point - measured.point_mm) / facing};
  }

  /// Derivative of residual() by (w, d). A rotation by w moves the normal by w x normal. Over the centroid c
  /// the plane rises by w . ((c - T) x normal) + normal . d. The change of `facing` is of second order at the
  /// solution.
  Jacobian jacobian(const Eigen::Vector3d& translation) const {
    Jacobian j = Jacobian::Zero();
    for (int k = 0; k < 2; ++k) j.block<1, 3>(k, 0) = normal.cross(t.col(k)).transpose() / facing;
    j.block<1, 3>(2, 0) = (measured.point_mm - translation).cross(normal).transpose() / facing;
    j.block<1, 3>(2, 3) = normal.transpose() / facing;
    return j;
  }

  const Plane3& measured;
  Eigen::Matrix<double, 3, 2> t;
  Eigen::Vector3d normal, point;
  double facing;
};

}  // namespace

Eigen::Matrix<double, 3 * face_count, 3 * face_count> covariance_of(const FaceData& faces) {
  Eigen::Matrix<double, 3 * face_count, 3 * face_count> all;
  all.setZero();
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(face_count); ++i) {
    all.block<3, 3>(3 * i, 3 * i) = faces[static_cast<std::size_t>(i)].covariance;
  }
  return all;
}

FaceErrors face_residuals(const FaceData& faces, const ArtefactDrawing& drawing,
                          const Eigen::Matrix4d& pose) {
  FaceErrors residuals;
  for (std::size_t i = 0; i < face_count; ++i) {
    residuals.segment<3>(static_cast<Eigen::Index>(3 * i)) =
        Pair(faces[i], drawing.faces[i], pose).residual();
  }
  return residuals;
}

PoseEstimate joint_pose(const FaceData& faces, const ArtefactDrawing& drawing, const Eigen::Matrix4d& start) {
  PoseEstimate pose;
  pose.matrix = start;
  std::array<Eigen::Matrix3d, face_count> weight;
  for (std::size_t i = 0; i < face_count; ++i) {
    weight[i] = solve_symmetric(faces[i].covariance, Eigen::Matrix3d::Identity());
  }
  constexpr int most_steps = 30;
  for (int k = 0; k < most_steps; ++k) {
    Matrix6d normal = Matrix6d::Zero();
    Vector6d right = Vector6d::Zero();
    PoseByFaces by_faces;
    for (std::size_t i = 0; i < face_count; ++i) {
      const Pair pair(faces[i], drawing.faces[i], pose.matrix);
      const Jacobian j = pair.jacobian(pose.matrix.topRightCorner<3, 1>());
      const Eigen::Matrix<double, 6, 3> jw = j.transpose() * weight[i];
      normal += jw * j;
      right -= jw * pair.residual();
      by_faces.middleCols<3>(static_cast<Eigen::Index>(3 * i)) = jw;
    }
    // Rad and mm differ by the lever: scaled to a unit diagonal before solving.
    const Vector6d scale = normal.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix6d scaled = scale.asDiagonal() * normal * scale.asDiagonal();
    const Vector6d step = scale.asDiagonal() * Vector6d(solve_symmetric(scaled, scale.asDiagonal() * right));
    if (!step.allFinite()) break;
    pose.matrix = detail::corrected(pose.matrix, step);
    // The remaining step is rounding: 1e-16 of sums in rad and of 1000 mm over six faces.
    if (step.head<3>().norm() < 1e-13 && step.tail<3>().norm() < 1e-10) {
      pose.gain = scale.asDiagonal() * solve_symmetric(scaled, scale.asDiagonal() * by_faces);
      return pose;
    }
  }
  throw FitRefused("the joint fit of the six faces does not converge: they contradict the drawing");
}

}  // namespace datum
