#include "calib/verify/mounting.h"

#include <cmath>

#include "calib/euler_angles.h"

namespace datum {

using Eigen::Vector3d;

// What should be along z is seen as n = Ry(-pitch) Rx(-roll) z = (-sin pitch cos roll, sin roll, cos pitch cos roll), for any
// yaw of a flat that has none.
Mounting mounting_of_flat(const Fit<Plane3, 3>& flat) {
  const Vector3d n = flat.feature.normal;
  const auto t = tangents(n);
  const double roll = std::asin(n.y()), pitch = std::atan2(-n.x(), n.z());
  // To first order roll is n.y / cos roll and pitch -n.x / (n.z cos pitch ...): derivatives along the tangents.
  const Eigen::Matrix<double, 1, 2> of_roll = t.row(1) / std::cos(roll);
  const double square = n.x() * n.x() + n.z() * n.z();
  const Eigen::Matrix<double, 1, 2> of_pitch = (n.x() * t.row(2) - n.z() * t.row(0)) / square;
  const Eigen::Matrix2d c = flat.covariance.topLeftCorner<2, 2>();
  const auto u = [&](const Eigen::Matrix<double, 1, 2>& by) {
    return std::sqrt((by * c * by.transpose()).value());
  };
  return {{roll, u(of_roll)}, {pitch, u(of_pitch)}, std::nullopt};
}

// For angles of some degrees the turns about the sensor's axes and those of its adjustment are the same but for cosines.
Mounting mounting_of_artefact(const Eigen::Matrix3d& sensor_from_artefact,
                              const Eigen::Matrix3d& covariance) {
  const Vector3d angles = intrinsic_xyz(sensor_from_artefact.transpose());
  const Vector3d u = covariance.diagonal().cwiseMax(0).cwiseSqrt();
  return {{angles.x(), u.x()}, {angles.y(), u.y()}, MountingAngle{angles.z(), u.z()}};
}

}  // namespace datum
