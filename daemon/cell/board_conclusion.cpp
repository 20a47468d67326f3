// BoardSequencer: how a board, or one snapshot of it, ends.
#include "daemon/cell/board_sequencer.h"
#include "daemon/system/event_loop.h"

namespace datum {

void BoardSequencer::conclude_without_frame(const Conclusion& conclusion) {
  if (board_->passed_over == Reason::none) return conclude_snapshot(conclusion);
  conclude_snapshot({board_->passed_over, board_->passed_over_why});
}

/// What is wrong with one snapshot of a board: the others are measured.
void BoardSequencer::conclude_snapshot(const Conclusion& why) {
  if (!board_->recipe->is_board_of_snapshots() || (board_->claim && board_->claim->left_over))
    return conclude(why);
  frame_due_.reset();
  deps_.acceptance.end_board(EventLoop::now());
  if (stare_ && !board_->pairing) board_->pairing = stare_->result();
  if (const auto end = part_.lose_snapshot(board_, why, EventLoop::now())) return conclude(*end);
  await_snapshot();
}

void BoardSequencer::await_snapshot() {
  deps_.state.enter(InstrumentState::armed);
  unit_stated();
}

void BoardSequencer::unit_stated() {
  if (part_.is_of_another_unit(deps_.orders.unit())) conclude_waiting(part_.other_unit(deps_.orders.unit()));
}

/// The part that waits for a trigger ends.
void BoardSequencer::conclude_waiting(const Conclusion& conclusion) {
  board_ = part_.resume();
  conclude(conclusion);
}

/// Has the board measured, or recorded as INVALID with a reason.
void BoardSequencer::conclude(const Conclusion& conclusion) {
  frame_due_.reset();
  deps_.acceptance.end_board(EventLoop::now());
  board_->reason = conclusion.reason;
  board_->detail = conclusion.detail;
  if (stare_ && !board_->pairing) board_->pairing = stare_->result();  // as far as it came
  deps_.checks.judge(*board_);
  deps_.state.enter(InstrumentState::measuring);
  board_->times.complete_ns = EventLoop::now();
  on_way_.begin(board_);
}

}  // namespace datum
