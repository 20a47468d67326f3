// How a sensor is mounted against the machine's axes, from what a flat or a plane-and-lines plate that is aligned with them
// looks like in its coordinates (thesis, section 2.7.2): which angles its adjustment must be turned back by.
//
// The sensor's axes are those that it should have; for a sensor that looks along another axis of the machine the flat is
// perpendicular to its line of sight, and the angles are about its own axes all the same.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "calib/fit/feature.h"

namespace datum {

struct MountingAngle {
  double rad = 0, u_rad = 0;
};

/// The sensor stands turned by Rx(roll) Ry(pitch) Rz(yaw) from where it should (intrinsic X-Y'-Z'', as printed angles are).
struct Mounting {
  MountingAngle roll, pitch;
  std::optional<MountingAngle> yaw;  // a flat alone has none
};

/// From a flat that is perpendicular to the wanted line of sight, its normal towards the sensor.
Mounting mounting_of_flat(const Fit<Plane3, 3>& flat);

/// From the pose of an artefact whose axes are those that the sensor should have; covariance of the three small turns of
/// sensor_from_artefact in rad^2, about the sensor's axes.
Mounting mounting_of_artefact(const Eigen::Matrix3d& sensor_from_artefact, const Eigen::Matrix3d& covariance);

}  // namespace datum
