// A board that fails, but not in a mirror: its frame's handedness is wrong, not the board.
#pragma once

#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// The frame as it is if the sensor's hand is the other one: mirrored within its picture, and, where x = 0 is not its
/// middle, about the sensor's x = 0 (mirror_to_right_handed by a profile that is wrong).
std::vector<HeightFrame> mirror_images(const HeightFrame& frame);

/// A frame's verdict, and where its board lay.
struct JudgedFrame {
  const HeightFrame& frame;
  const BoardVerdict& verdict;
  Htm<Board, Sensor> board_from_sensor;
};

/// Whether the wrong hand explains what failed in `as_is`, a FAIL whose mirror image is `image`, one of mirror_images. True
/// where the image is PASS, some height fails in the frame, and for each height that fails
///   - the measured height is nearer to what the recipe's board shows there through a mirror (the nominal heights of other
///     bodies and 0 for bare board, averaged over the body) than to its nominal, and
///   - the image's height is nearer to the nominal than the frame's.
/// A floor on the wrong level, a part that is too high, or two parts that differ do not look like the board's mirror image:
/// the verdict keeps its own reasons. A body that lies on its own mirror image tells nothing.
bool wrong_hand_explains(const Recipe& recipe, const JudgedFrame& as_is, const JudgedFrame& image);

}  // namespace datum
