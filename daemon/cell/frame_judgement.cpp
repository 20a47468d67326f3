#include "daemon/cell/frame_judgement.h"

namespace datum {

namespace {

/// Its exposure where a clock tells it.
std::optional<HostSpan> time_frame(BoardOrder& board, FrameAcceptance& acceptance, bool triggered,
                                   StareSession* stare) {
  if (!board.frame) return board.claim->exposed_by_clock;
  const FrameTiming timing =
      acceptance.time_frame(board.frame->frame.captured, *board.claim, board.taken_ns,
                            triggered ? std::optional(board.triggered_ns) : std::nullopt);
  board.age = timing.age;
  if (board.frame_error.empty() && !timing.refusal.empty()) {
    board.frame_error = timing.refusal;
    board.frame_reason = Reason::frame_stale;
  }
  if (stare && timing.by_stamp) stare->exposed({timing.exposed->from_ns, board.taken_ns, true});
  return timing.exposed;
}

}  // namespace

FrameDecision judge_frame(BoardOrder& board, FrameAcceptance& acceptance, bool triggered,
                          StareSession* stare) {
  const std::optional<HostSpan> exposed = time_frame(board, acceptance, triggered, stare);
  const FrameInHand frame{*board.claim, board.frame ? &*board.frame : nullptr,
                          board.frame && board.frame_error.empty(), exposed};
  // With a CMM, and of a part, the same unit stands elsewhere at its next trigger.
  const FrameRecipient recipient{board.triggered_ns,    board.unit,
                                 board.unit_told_ns,    !stare && !board.recipe->takes_snapshots(),
                                 board.left_over_fault, !board.panel_serials.serials.empty()};
  return triggered ? acceptance.judge_triggered(frame, recipient)
                   : acceptance.judge_unasked(frame, recipient);
}

}  // namespace datum
