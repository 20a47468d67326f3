// Verification of the current calibration by measuring the artefact again.
#pragma once

#include <string>

#include "calib/htm_estimate.h"

namespace datum {

/// A difference is a drift where it exceeds both its own expanded uncertainty (k = 2) and the limit.
struct DriftLimits {
  double shift_um = 20, turn_mdeg = 5;
};

/// New measurement less current calibration. Machine axes.
struct Drift {
  Eigen::Vector3d shift_um = Eigen::Vector3d::Zero();   // of the artefact's origin
  double u_shift_um = 0;                                // standard uncertainty along that shift
  Eigen::Vector3d turn_mdeg = Eigen::Vector3d::Zero();  // rotation vector
  double u_turn_mdeg = 0;                               // about that vector
  bool drifted = false;
  bool untold = false;  // no drift found, but U exceeds the limit: a drift beyond the limit could be hidden
  std::string words;    // one line: both differences with U (k = 2) and limits
};

/// `again` and `current` apply to the same stage position. `artefact_mm`: the artefact's origin in sensor
/// coordinates, where the shift is evaluated; at the machine's origin a rotation would appear as a shift. The
/// two are treated as independent; their common artefact makes U too large rather than too small.
Drift drift_of(const HtmEstimate<Machine, Sensor>& again, const HtmEstimate<Machine, Sensor>& current,
               const Eigen::Vector3d& artefact_mm, const DriftLimits& limits);

}  // namespace datum
