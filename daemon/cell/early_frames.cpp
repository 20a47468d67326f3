#include "daemon/cell/early_frames.h"

namespace datum {

bool EarlyFrames::refuse(const ClaimedFrame& claim) {
  if (!acceptance_.earlier_outstanding()) {
    deliveries_.refuse(claim, early_refusal(claim));
    return false;
  }
  const auto early = orders_.make_to_read(claim);
  loader_.submit([early] { load(*early); },
                 [this, early] {
                   const DroppedFrame* frame = early->frame ? &*early->frame : nullptr;
                   const bool duplicate = frame && deliveries_.is_duplicate(*frame);
                   acceptance_.note_early(*early->claim, frame, duplicate);
                   deliveries_.refuse(*early->claim, early_refusal(*early->claim));
                 });
  return true;
}

}  // namespace datum
