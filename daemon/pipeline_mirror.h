// A board that fails, but not in a mirror: its frame's handedness is wrong, not the board.
#pragma once

#include <vector>

#include "drivers/frame/height_frame.h"

namespace datum {

/// The frame as it is if the sensor's hand is the other one: mirrored within its picture, and, where x = 0 is not its
/// middle, about the sensor's x = 0 (mirror_to_right_handed by a profile that is wrong).
std::vector<HeightFrame> mirror_images(const HeightFrame& frame);

}  // namespace datum
