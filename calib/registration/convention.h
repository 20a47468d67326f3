// How a snapshot's coordinates become the machine's, and the ways in which that is got wrong.
#pragma once

#include <vector>

#include "calib/stage.h"

namespace datum {

/// What leads from sensor coordinates at q to the machine's.
struct SnapshotModel {
  HtmEstimate<Machine, Sensor> at_calibration;  // with the stage at stage.q_cal_mm
  StageModel stage;
  StageUncertainty u;
};

/// Each one is a whole model: the stated one, or the stated one with a single mistake undone.
enum class Convention : std::uint8_t {
  as_stated,
  stage_reversed,     // q counts the part's motion, or every axis has the wrong sign
  stage_not_applied,  // the sensor did not move, or its frames are in machine coordinates already
  x_reversed,         // q: one axis has the wrong sign
  y_reversed,
  z_reversed,
  x_y_exchanged,        // q: its first two axes are exchanged
  rotation_transposed,  // R was stored transposed, or the transform inverted
  mirrored,             // the frames are of the other hand
  squareness_reversed,  // A has its angles with the other sign
  squareness_ignored,   // A must be the identity: the machine corrects itself
};
/// All but as_stated.
const std::vector<Convention>& mistakes();
/// "STAGE_REVERSED", and in words what to look at.
const char* name_of(Convention convention);
const char* remedy_of(Convention convention);

/// Sensor coordinates at q -> machine coordinates under a convention; no rigid motion for `mirrored`.
Eigen::Matrix4d pose_of(const SnapshotModel& model, const Eigen::Vector3d& q_mm, Convention convention);

/// Covariance in mm^2 of the difference of the places at which two snapshots show one point: the rotation's
/// uncertainty over the way between them, A's, and a reading of q at each. The transform's translation is
/// common to both and cannot disagree.
Eigen::Matrix3d difference_covariance(const SnapshotModel& model, const Eigen::Vector3d& q_a_mm,
                                      const Eigen::Vector3d& q_b_mm);

}  // namespace datum
