#include "calib/euler_angles.h"

#include <Eigen/Geometry>
#include <cmath>

namespace datum {

Eigen::Vector3d intrinsic_xyz(const Eigen::Matrix3d& r) {
  const double cosine = std::hypot(r(0, 0), r(0, 1));
  const double b = std::atan2(r(0, 2), cosine);
  if (cosine < 1e-9) return {std::atan2(r(0, 2) > 0 ? r(1, 0) : -r(1, 0), r(1, 1)), b, 0};
  return {std::atan2(-r(1, 2), r(2, 2)), b, std::atan2(-r(0, 1), r(0, 0))};
}

Eigen::Matrix3d rotation_from_intrinsic_xyz(const Eigen::Vector3d& angles_rad) {
  return (Eigen::AngleAxisd(angles_rad.x(), Eigen::Vector3d::UnitX()) *
          Eigen::AngleAxisd(angles_rad.y(), Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(angles_rad.z(), Eigen::Vector3d::UnitZ()))
      .toRotationMatrix();
}

}  // namespace datum
