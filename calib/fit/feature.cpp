#include "calib/fit/feature.h"

#include <Eigen/Geometry>

namespace datum {

Eigen::Matrix<double, 3, 2> tangents(const Eigen::Vector3d& direction) {
  Eigen::Index least = 0;
  direction.cwiseAbs().minCoeff(&least);
  const Eigen::Vector3d axis = Eigen::Vector3d::Unit(least);
  Eigen::Matrix<double, 3, 2> t;
  t.col(0) = (axis - direction * direction[least]).normalized();
  t.col(1) = direction.cross(t.col(0));
  return t;
}

}  // namespace datum
