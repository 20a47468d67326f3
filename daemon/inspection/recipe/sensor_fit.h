// Whether a sensor can see what a recipe demands: range, pixels, noise.
#pragma once

#include <string>
#include <vector>

#include "calib/calibration.h"
#include "daemon/inspection/recipe/recipe.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

struct SensorFit {
  std::vector<std::string> refusals;  // no frame of this sensor can be measured
  std::vector<std::string> doubts;    // "U3.nominal_um: ..." probably not meant
};

/// Of a board's recipe for this sensor; nothing for a surface. `at_rest`: the calibration of a sensor that no stage moves;
/// null: the place of a board in machine coordinates is not known before its frame.
SensorFit sensor_fit(const Recipe& recipe, const SensorProfile& sensor, const Calibration* at_rest);

}  // namespace datum
