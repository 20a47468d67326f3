// FrameSource: where a cell's frames come from: a folder that they are dropped into, or a sensor on the network.
//
// Use, on the loop's thread but for load_frame:
//   a board begins:  source.begin(now); when the sensor may expose: source.expose(now)
//   while a frame is wanted and (claim = source.next()):
//     worker: frame = load_frame(claim, profile)     throws FrameError -> source.failed(claim, what)
//     if source.is_duplicate(frame.identity):        source.duplicate(claim, identity)
//     else: inspect, store durably, then             source.measured(claim, frame.identity)
//   after every round: source.take_fault() fails the board in progress, source.take_warnings() are logged
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "drivers/port/link_report.h"
#include "drivers/port/pollable.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

class FrameSource : public LinkStatusProvider {
 public:
  /// What the loop watches.
  virtual std::vector<Pollable*> pollables() = 0;
  virtual std::string describe() const = 0;
  /// Open where a frame can come.
  std::optional<LinkReport> report(MonotonicNs now) const override;
  /// Why no frame can come at present; empty: one can.
  virtual std::string refusal() const = 0;
  /// What an operator looks at when no frame came.
  virtual std::string place() const = 0;

  /// Frames are wanted from now on: what was taken before shows something else and is thrown away; how many frames that
  /// were. A folder keeps its files, so the caller tells them by first_seen_ns.
  virtual std::size_t begin(MonotonicNs now) = 0;
  /// When the connection was made anew: what was exposed before does not come any more. None: nothing says so.
  virtual std::optional<MonotonicNs> link_since() const { return std::nullopt; }
  /// Makes the sensor expose, where it is this source that triggers it.
  virtual void expose(MonotonicNs) {}
  /// Why the board in progress can't be measured, since the last call; empty: it can.
  virtual std::string take_fault() { return {}; }

  /// What deliveries are claimed for from now on, where a source keeps it beside them.
  virtual void claims_are_for(const ClaimRecord&) {}
  /// Claims the next complete delivery. None: nothing to do now.
  virtual std::optional<ClaimedFrame> next() = 0;
  virtual bool is_duplicate(const FrameIdentity& identity) const = 0;
  /// The verdict is stored.
  virtual void measured(const ClaimedFrame& claim, const FrameIdentity& identity) = 0;
  /// The verdict is stored, and nobody wants the frame; where frames are kept it is put aside for removal.
  virtual void discard(const ClaimedFrame& claim, const FrameIdentity& identity) {
    measured(claim, identity);
  }
  /// Measured before.
  virtual void duplicate(const ClaimedFrame& claim, const FrameIdentity& identity) = 0;
  virtual void failed(const ClaimedFrame& claim, const std::string& reason) = 0;

  /// What the operator should know, since the last call.
  virtual std::vector<std::string> take_warnings() = 0;
};

/// Which frames were measured. The store is the memory; this one bridges the moments in which it can't be asked
/// or does not know yet.
class MeasuredFrames {
 public:
  using AlreadyMeasured = std::function<bool(const FrameIdentity&)>;
  explicit MeasuredFrames(AlreadyMeasured already_measured) : stored_(std::move(already_measured)) {}

  void add(const FrameIdentity& identity);
  bool has(const FrameIdentity& identity) const;

 private:
  AlreadyMeasured stored_;
  std::deque<FrameIdentity> recent_;
};

}  // namespace datum
