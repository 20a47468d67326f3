// CmmSource: where a cell's positions and touches come from, whatever the device speaks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "drivers/frame/probe_point.h"
#include "drivers/port/link_report.h"
#include "drivers/port/pollable.h"

namespace datum {

class ProbeMover;

class CmmSource : public Pollable, public LinkStatusProvider {
 public:
  /// Every sample, good or bad, as it comes; a lost link gives one link_down.
  using OnSample = std::function<void(const ProbePoint&, MonotonicNs now)>;

  virtual void on_sample(OnSample handler) = 0;
  /// Every touch that the device latched, good or bad, as it comes.
  virtual void on_touch(OnSample handler) = 0;
  /// Opens the link; again, by an operator's wish, after it was refused. Never throws: see describe().
  virtual void start(MonotonicNs now) = 0;
  /// Polls as soon as what is in progress has ended: the next position is younger than `now`. No effect on
  /// a free-running device.
  virtual void poll_soon(MonotonicNs now) = 0;
  /// Listens for touches. A device that tells them apart from positions is polled on; of another latest()
  /// grows stale. No effect where the device says nothing at a touch.
  virtual void listen(bool on, MonotonicNs now) = 0;
  /// A touch that is made now is heard.
  virtual bool listening() const = 0;
  /// An operator states that the machine is referenced: homed since its position was lost.
  virtual void confirm_referenced() = 0;
  /// The last sample; stale where it is too old, never an old position after a fault.
  virtual ProbePoint latest(MonotonicNs now) const = 0;
  /// The link must be reopened by start().
  virtual bool refused() const = 0;
  /// Moves the probe by itself; null: the device can't, or the configuration does not allow it.
  virtual ProbeMover* mover() { return nullptr; }
  /// Stops what moves and says goodbye to the device; closed() once both are done or can't be. Nothing is opened again.
  virtual void close(MonotonicNs) {}
  virtual bool closed() const { return true; }
  /// What an operator should find in the log, once.
  virtual std::vector<std::string> take_notes() { return {}; }
};

}  // namespace datum
