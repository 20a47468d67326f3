// Printed angles of a rotation: Rx Ry Rz, intrinsic X-Y'-Z'', R = Rx(a) Ry(b) Rz(c)
// (daemon/inspection/METROLOGY.md, E4).
#pragma once

#include <Eigen/Core>

namespace datum {

/// (a, b, c) in rad, b within +-90 degrees. Where |b| is 90 degrees to 1e-9, only a + c or a - c is defined
/// and c = 0.
Eigen::Vector3d intrinsic_xyz(const Eigen::Matrix3d& rotation);

/// Rx(a) Ry(b) Rz(c).
Eigen::Matrix3d rotation_from_intrinsic_xyz(const Eigen::Vector3d& angles_rad);

}  // namespace datum
