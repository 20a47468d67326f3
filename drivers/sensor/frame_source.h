// FrameSource: source of a cell's frames: a drop folder, or a sensor on the network.
//
// Use, on the loop's thread except for load_frame:
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
  /// Objects for the event loop.
  virtual std::vector<Pollable*> pollables() = 0;
  virtual std::string describe() const = 0;
  /// Open where a frame can arrive.
  std::optional<LinkReport> report(MonotonicNs now) const override;
  /// Why no frame can arrive at present; empty: one can.
  virtual std::string refusal() const = 0;
  /// Place to check when no frame arrived.
  virtual std::string place() const = 0;

  /// Frames are needed from now on. Discards earlier ones, which show something else, and returns their
  /// number. A folder keeps its files, so the caller checks their first_seen_ns.
  virtual std::size_t begin(MonotonicNs now) = 0;
  /// Time of the last reconnection: frames exposed before it are lost. None: unknown.
  virtual std::optional<MonotonicNs> link_since() const { return std::nullopt; }
  /// Triggers the sensor, where this source does so.
  virtual void expose(MonotonicNs) {}
  /// Why the board in progress can't be measured, since the last call; empty: it can.
  virtual std::string take_fault() { return {}; }

  /// Record stored with claims from now on, where a source keeps one.
  virtual void claims_are_for(const ClaimRecord&) {}
  /// Replaces the record of a claim; none: it has none any more.
  virtual void claim_is_for(const ClaimedFrame&, const std::optional<ClaimRecord>&) {}
  /// Claims the next complete delivery; none if there is none.
  virtual std::optional<ClaimedFrame> next() = 0;
  virtual bool is_duplicate(const FrameIdentity& identity) const = 0;
  /// The verdict is stored.
  virtual void measured(const ClaimedFrame& claim, const FrameIdentity& identity) = 0;
  /// The verdict is stored and the frame is not needed; a source that keeps frames moves it aside for
  /// removal.
  virtual void discard(const ClaimedFrame& claim, const FrameIdentity& identity) {
    measured(claim, identity);
  }
  /// The frame was measured before.
  virtual void duplicate(const ClaimedFrame& claim, const FrameIdentity& identity) = 0;
  virtual void failed(const ClaimedFrame& claim, const std::string& reason) = 0;

  /// Warnings for the operator since the last call.
  virtual std::vector<std::string> take_warnings() = 0;
};

/// Identities of measured frames. The store is authoritative; this list covers the time in which it can't be
/// queried or is not yet written.
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
