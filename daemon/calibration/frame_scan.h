// FrameScan: one frame of what stands still on the stage, with the stage's position around its exposure.
//
//   start -> position before -> the sensor may expose -> frame, position after -> ended
//
// A frame that came before start(), or was delivered before, is no scan: it shows where the stage stood then. Everything
// runs on the loop's thread, but for reading and examining the frame, which run on the worker's.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/calibration/procedure.h"
#include "drivers/cmm/stare_session.h"

namespace datum {

class FrameScan {
 public:
  struct Result {
    std::string error;  // why there is no scan; empty: there is, and the rest holds
    ClaimedFrame claim;
    FrameIdentity identity;
    std::array<double, 3> q_mm{};  // where the stage stood
    std::optional<std::array<double, 3>> head_deg{};
  };
  /// On the worker, with the frame that was read. Throws why it is no scan.
  using Examine = std::function<void(DroppedFrame& frame)>;
  /// On the loop, once for each start() that is not aborted.
  using Ended = std::function<void(const Result& result)>;

  /// `command` is named where a frame came before it. `dependencies` outlives the scan.
  FrameScan(const ProcedureDependencies& dependencies, std::string command);

  bool active() const { return active_; }
  /// The sensor may expose.
  bool awaits_frame() const { return active_ && stare_.step() == StareSession::Step::wait_frame && !taken_; }
  void start(Examine examine, Ended ended, MonotonicNs now);
  void abort();

  void position(const ProbePoint& sample, MonotonicNs now);
  void after_round(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;
  void on_deadline(MonotonicNs now);

 private:
  struct Taken;  // a delivery, shared with the worker

  void take(const ClaimedFrame& claim, MonotonicNs now);
  void settle(const std::shared_ptr<Taken>& taken);
  void end_when_complete();
  void end(Result result);

  const ProcedureDependencies& deps_;
  std::string command_;
  Examine examine_;
  Ended ended_;
  StareSession stare_;
  bool active_ = false;
  MonotonicNs asked_ns_ = 0;
  std::optional<MonotonicNs> frame_due_;
  std::shared_ptr<Taken> taken_;
};

}  // namespace datum
