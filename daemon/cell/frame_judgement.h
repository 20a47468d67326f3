// Whose board a frame that was read shows, by what the board, its positions and the acceptance know.
#pragma once

#include "daemon/cell/board.h"
#include "daemon/cell/frame_acceptance.h"
#include "drivers/cmm/stare_session.h"

namespace datum {

/// Judges the frame's age, puts its exposure in host time where a clock tells that, and asks whose it is. `triggered`: a TRIGger
/// waited for it; `stare`: null without a CMM. Sets the board's age, and its frame_error where the frame is too old.
FrameDecision judge_frame(BoardOrder& board, FrameAcceptance& acceptance, bool triggered,
                          StareSession* stare);

}  // namespace datum
