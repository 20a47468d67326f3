// A frame on its way into a slot: only the pixels that a plan looks at, missing heights marked by their
// count.
#pragma once

#include <vector>

#include "gpu/core/backend.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// The pixels that any ring or body of the plan covers, each at least once, by rows; gaps of a few pixels are
/// filled.
std::vector<PixelRun> covered_pixels(const BoardPlan& plan);

/// Copies those pixels of a frame of `type` with `cols` columns to the same places of `slot`, whose rows have
/// `slot_pitch` counts. A pixel whose class is not 0 becomes no_count_16, no_count_32 or NaN. False: a pixel
/// has a height whose count is that mark, so that this frame can't be told in a slot.
bool stage_frame(const std::vector<PixelRun>& pixels, CountType type, std::int32_t cols,
                 const FrameView& frame, void* slot, std::int32_t slot_pitch, const Backend& backend);

}  // namespace datum
