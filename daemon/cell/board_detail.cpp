// What the cell awaits or does, in words for hosts.
#include "daemon/cell/board_sequencer.h"

namespace datum {

std::string BoardSequencer::detail() const {
  switch (deps_.state.now()) {
    case InstrumentState::idle:
      return "";
    case InstrumentState::armed:
      if (part_.waiting()) return "for a trigger: " + part_.next_snapshot();
      return trigger_ == TriggerMode::bus ? "for a trigger" : "for a frame";
    case InstrumentState::waiting:
      if (awaits_position_before()) return "for the position before the frame";
      return board_ && board_->claim ? "for the position after the frame" : "for the frame";
    case InstrumentState::measuring:
      if (deps_.holes.active()) return deps_.holes.detail();
      return board_ && board_->claim ? board_->claim->name() : "";
  }
  return "";
}

}  // namespace datum
