// Copies a frame into a slot: only the pixels of a plan, with missing heights marked in their counts.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// The pixels of all rings and bodies of the plan, each at least once, by rows; gaps of a few pixels are filled.
std::vector<PixelRun> covered_pixels(const BoardPlan& plan);

/// Copies some runs of those as stage_frame() does.
bool stage_runs(const PixelRun* runs, std::size_t count, CountType type, std::int32_t cols,
                const FrameView& frame, void* slot, std::int32_t slot_pitch, Isa isa);

/// Copies those pixels of a frame of `type` with `cols` columns to the same places of `slot`, whose rows have
/// `slot_pitch` counts. A pixel whose class is not 0 becomes no_count_16, no_count_32 or NaN. False: the count of a valid
/// height equals that mark, so a slot cannot represent this frame.
bool stage_frame(const std::vector<PixelRun>& pixels, CountType type, std::int32_t cols,
                 const FrameView& frame, void* slot, std::int32_t slot_pitch, const Backend& backend);

}  // namespace datum
