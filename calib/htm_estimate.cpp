#include "calib/htm_estimate.h"

#include <Eigen/Geometry>

#include "calib/linear/linear_algebra.h"

namespace datum {

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

Eigen::Matrix3d rotation_from_vector(const Eigen::Vector3d& w_rad) {
  const double angle = w_rad.norm();
  if (angle == 0) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, w_rad / angle).toRotationMatrix();
}

Eigen::Vector3d vector_from_rotation(const Eigen::Matrix3d& rotation) {
  // Via the quaternion: the arc cosine of the trace has no precision at small angles.
  const Eigen::AngleAxisd turn{Eigen::Quaterniond(rotation).normalized()};
  return turn.angle() * turn.axis();
}

namespace detail {

namespace {

Eigen::Matrix3d rotation_of(const Eigen::Matrix4d& m) { return m.topLeftCorner<3, 3>(); }
Eigen::Vector3d translation_of(const Eigen::Matrix4d& m) { return m.topRightCorner<3, 1>(); }

}  // namespace

// R = exp(w1) R1 exp(w2) R2 = exp(w1 + R1 w2) R1 R2;  T = exp(w1) R1 (T2 + d2) + T1 + d1.
Matrix6d composed_covariance(const Eigen::Matrix4d& left, const Matrix6d& left_covariance,
                             const Eigen::Matrix4d& right, const Matrix6d& right_covariance) {
  const Eigen::Matrix3d r1 = rotation_of(left);
  Matrix6d by_left = Matrix6d::Identity(), by_right = Matrix6d::Zero();
  by_left.bottomLeftCorner<3, 3>() = -cross_matrix(r1 * translation_of(right));
  by_right.topLeftCorner<3, 3>() = r1;
  by_right.bottomRightCorner<3, 3>() = r1;
  return covariance_through(by_left, left_covariance) + covariance_through(by_right, right_covariance);
}

// R^T = R_est^T exp(-w) = exp(-R_est^T w) R_est^T;  -R^T T = -R_est^T (T + d - w x T).
Matrix6d inverse_covariance(const Eigen::Matrix4d& matrix, const Matrix6d& covariance) {
  const Eigen::Matrix3d back = rotation_of(matrix).transpose();
  Matrix6d by = Matrix6d::Zero();
  by.topLeftCorner<3, 3>() = -back;
  by.bottomLeftCorner<3, 3>() = -back * cross_matrix(translation_of(matrix));
  by.bottomRightCorner<3, 3>() = -back;
  return covariance_through(by, covariance);
}

Eigen::Matrix4d corrected(const Eigen::Matrix4d& matrix, const Vector6d& correction) {
  const Eigen::Matrix3d turned = rotation_from_vector(correction.head<3>()) * rotation_of(matrix);
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = Eigen::Quaterniond(turned).normalized().toRotationMatrix();
  m.topRightCorner<3, 1>() = translation_of(matrix) + correction.tail<3>();
  return m;
}

Vector6d difference(const Eigen::Matrix4d& a, const Eigen::Matrix4d& b) {
  Vector6d d;
  d << vector_from_rotation(rotation_of(a) * rotation_of(b).transpose()),
      translation_of(a) - translation_of(b);
  return d;
}

Eigen::Matrix3d point_covariance(const Eigen::Matrix4d& matrix, const Matrix6d& covariance,
                                 const Eigen::Vector3d& point_mm) {
  Eigen::Matrix<double, 3, 6> by;
  by << -cross_matrix(rotation_of(matrix) * point_mm), Eigen::Matrix3d::Identity();
  return covariance_through(by, covariance);
}

}  // namespace detail
}  // namespace datum
