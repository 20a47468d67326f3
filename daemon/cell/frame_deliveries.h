// FrameDeliveries: where a taken delivery goes once its board ends, and how many came. A stored result ends a delivery, an
// abort fails it, and without a stored result it stays in work/ for the next process. On the loop's thread.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/cell/board.h"
#include "daemon/cell/host_events.h"
#include "daemon/store/retention/retention.h"
#include "drivers/sensor/frame_source.h"

namespace datum {

/// What became of the sensor's frames.
struct FrameCounts {
  std::uint64_t taken = 0, refused = 0, twice = 0;
};

class FrameDeliveries {
 public:
  /// `retention`: null where every frame is kept.
  FrameDeliveries(FrameSource& frames, const Retention* retention, const HostEvents& events)
      : frames_(frames), retention_(retention), events_(events) {}

  const FrameCounts& counts() const { return counts_; }
  void count_taken() { ++counts_.taken; }
  bool is_duplicate(const DroppedFrame& frame) const { return frames_.is_duplicate(frame.identity); }

  /// It is not measured, and the log says why.
  void refuse(const ClaimedFrame& claim, const std::string& why);
  void end_duplicate(const ClaimedFrame& claim, const DroppedFrame& frame);
  void abort(const ClaimedFrame& claim);
  void abort_snapshots(const BoardOrder& order);
  /// Of an order that was measured, or aborted meanwhile.
  void settle(const BoardOrder& order);

 private:
  FrameSource& frames_;
  const Retention* retention_;
  const HostEvents& events_;
  FrameCounts counts_;
};

}  // namespace datum
