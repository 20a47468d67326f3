// Verification: the artefact measured again, against the calibration that is measured with.
#pragma once

#include <string>

#include "calib/htm_estimate.h"

namespace datum {

/// A difference counts as a drift where it is beyond both: its own expanded uncertainty (k = 2) and the limit.
struct DriftLimits {
  double shift_um = 20, turn_mdeg = 5;
};

/// What measuring again found, less what the calibration says. Machine axes.
struct Drift {
  Eigen::Vector3d shift_um = Eigen::Vector3d::Zero();   // of the artefact's origin
  double u_shift_um = 0;                                // standard uncertainty along that shift
  Eigen::Vector3d turn_mdeg = Eigen::Vector3d::Zero();  // rotation vector
  double u_turn_mdeg = 0;                               // about that vector
  bool drifted = false;
  bool untold = false;  // not drifted, but U exceeds what is allowed: a drift beyond the limit could hide
  std::string words;    // one line: both with U (k = 2) and what is allowed
};

/// `again` and `current`: with the stage at the same position. `artefact_mm`: the artefact's origin in sensor
/// coordinates, where the shift is looked at: about the machine's own origin a turn would pass for a shift. The
/// two are taken as independent; what both owe to the same artefact makes U too large rather than too small.
Drift drift_of(const HtmEstimate<Machine, Sensor>& again, const HtmEstimate<Machine, Sensor>& current,
               const Eigen::Vector3d& artefact_mm, const DriftLimits& limits);

}  // namespace datum
