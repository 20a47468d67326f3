// What the steps of `datumctl verify` share: a frame's noise, and lines that say what made a result.
#pragma once

#include <string>

#include "drivers/sensor/read_frame.h"

namespace datum {

/// Standard deviation in mm of one height at the mean height of the frame's measured pixels. Throws FrameError
/// where none is measured.
double noise_mm(const HeightFrame& frame, const SensorProfile& sensor);

/// "FILE, frame ID, sha256 ..."
std::string identity_of(const std::string& file, const HeightFrame& frame);

/// The line of the sensor's profile and of this program.
std::string made_by(const SensorProfile& sensor);

}  // namespace datum
