// Shared by the steps of `datumctl verify`: the noise of a frame, and lines about the origin of a result.
#pragma once

#include <string>

#include "drivers/sensor/read_frame.h"

namespace datum {

/// Standard deviation in mm of one height, at the mean height of the measured pixels. Throws FrameError where there is
/// none.
double noise_mm(const HeightFrame& frame, const SensorProfile& sensor);

/// "FILE, frame ID, sha256 ..."
std::string identity_of(const std::string& file, const HeightFrame& frame);

/// The line about the sensor profile and this program.
std::string made_by(const SensorProfile& sensor);

}  // namespace datum
