// Detection of a wrong handedness: a board that fails, but passes mirrored.
#pragma once

#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// The frame with the opposite handedness: mirrored within its image and, where x = 0 is not its middle,
/// about the sensor's x = 0 (mirror_to_right_handed with a wrong profile).
std::vector<HeightFrame> mirror_images(const HeightFrame& frame);

/// A frame's verdict, and its board's place.
struct JudgedFrame {
  const HeightFrame& frame;
  const BoardVerdict& verdict;
  Htm<Board, Sensor> board_from_sensor;
};

/// Whether a wrong handedness explains the failures of `as_is`, a FAIL whose mirror image is `image`, one of
/// mirror_images. True where the image is PASS, some height fails in the frame, and for each failing height
///   - the measured height is nearer to the recipe's mirrored board there (nominal heights of other bodies and 0 for
///     bare board, averaged over the body) than to its nominal, and
///   - the image's height is nearer to the nominal than the frame's.
/// A floor on the wrong level, a part that is too high, or two exchanged parts do not look like the board's
/// mirror image: the verdict keeps its own reasons. A body on its own mirror image gives no evidence.
bool wrong_hand_explains(const Recipe& recipe, const JudgedFrame& as_is, const JudgedFrame& image);

}  // namespace datum
