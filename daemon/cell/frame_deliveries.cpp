#include "daemon/cell/frame_deliveries.h"

namespace datum {

void FrameDeliveries::refuse(const ClaimedFrame& claim, const std::string& why) {
  frames_.failed(claim, why);
  ++counts_.refused;
  events_.log(4, claim.name() + " " + why + "; it was not measured",
              {Event::frame_refused, {{"DATUM_FRAME", claim.stem()}, {"DATUM_REASON", why}}});
}

void FrameDeliveries::end_duplicate(const ClaimedFrame& claim, const DroppedFrame& frame) {
  events_.log(5, claim.name() + " was delivered twice and is measured once");
  ++counts_.twice;
  frames_.duplicate(claim, frame.identity);
}

void FrameDeliveries::abort(const ClaimedFrame& claim) {
  frames_.failed(claim, "aborted before a result was stored");
}

void FrameDeliveries::abort_snapshots(const BoardOrder& order) {
  for (const TakenSnapshot& s : order.taken)
    frames_.failed(s.claim, "its part was aborted before a result was stored");
  for (const LostSnapshot& s : order.lost)
    if (s.claim) frames_.failed(*s.claim, s.why);
}

void FrameDeliveries::settle(const BoardOrder& order) {
  const bool kept = !retention_ || retention_->keeps_frame(order.verdict.decision);
  const auto end = [&](const ClaimedFrame& claim, const FrameIdentity& identity) {
    kept ? frames_.measured(claim, identity) : frames_.discard(claim, identity);
  };
  for (const TakenSnapshot& s : order.taken)
    if (order.stored) end(s.claim, s.frame.identity);
  for (const LostSnapshot& s : order.lost)
    if (s.claim && order.stored) {
      ++counts_.refused;
      frames_.failed(*s.claim, s.why);
    }
  if (order.aborted && !order.stored) abort_snapshots(order);
  if (!order.claim) return;
  if (!order.frame_error.empty() && order.stored) {
    ++counts_.refused;
    frames_.failed(*order.claim, order.frame_error);
  } else if (order.stored) {
    end(*order.claim, order.frame->identity);
  } else if (order.aborted) {
    abort(*order.claim);
  }
}

}  // namespace datum
