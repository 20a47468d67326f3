// The transform of a snapshot into machine coordinates, and the common mistakes in stating it.
#pragma once

#include <vector>

#include "calib/stage.h"

namespace datum {

/// Transform from sensor coordinates at stage position q to machine coordinates.
struct SnapshotModel {
  HtmEstimate<Machine, Sensor> at_calibration;  // with the stage at stage.q_cal_mm
  StageModel stage;
  StageUncertainty u;
};

/// The stated model, or the stated model with one mistake corrected.
enum class Convention : std::uint8_t {
  as_stated,
  stage_reversed,     // q counts the part's motion, or every axis has the wrong sign
  stage_not_applied,  // the sensor did not move, or its frames are already in machine coordinates
  x_reversed,         // q: this axis has the wrong sign
  y_reversed,
  z_reversed,
  x_y_exchanged,        // q: its first two axes are exchanged
  rotation_transposed,  // R was stored transposed, or the transform was inverted
  mirrored,             // the frames have the other handedness
  squareness_reversed,  // A's angles have the opposite sign
  squareness_ignored,   // A must be the identity: the machine corrects itself
};
/// All but as_stated.
const std::vector<Convention>& mistakes();
/// "STAGE_REVERSED", and a text that states the place to check.
const char* name_of(Convention convention);
const char* remedy_of(Convention convention);

/// Machine coordinates from sensor coordinates at q under a convention; not a rigid motion for `mirrored`.
Eigen::Matrix4d pose_of(const SnapshotModel& model, const Eigen::Vector3d& q_mm, Convention convention);

/// Covariance in mm^2 of the difference between the places at which two snapshots show one point: the
/// rotation's uncertainty over the distance between them, A's, and a reading of q at each. The transform's
/// translation is common to both and cancels.
Eigen::Matrix3d difference_covariance(const SnapshotModel& model, const Eigen::Vector3d& q_a_mm,
                                      const Eigen::Vector3d& q_b_mm);

}  // namespace datum
