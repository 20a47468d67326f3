// CmmSource: a cell's source of positions and touches, for any device.
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
  /// Called for every sample, good or bad; a lost link gives one link_down.
  using OnSample = std::function<void(const ProbePoint&, MonotonicNs now)>;

  virtual void on_sample(OnSample handler) = 0;
  /// Called for every latched touch, good or bad.
  virtual void on_touch(OnSample handler) = 0;
  /// Opens the link, also after a refusal on the operator's command. Never throws: see describe().
  virtual void start(MonotonicNs now) = 0;
  /// Polls as soon as the current exchange has ended, so that the next position is younger than `now`. No
  /// effect on a free-running device.
  virtual void poll_soon(MonotonicNs now) = 0;
  /// Listens for touches. A device with separate touch messages is polled further; otherwise latest() becomes
  /// stale. No effect on a device without touch messages.
  virtual void listen(bool on, MonotonicNs now) = 0;
  /// A touch made now is received.
  virtual bool listening() const = 0;
  /// An operator confirms the reference: homed since the position was lost.
  virtual void confirm_referenced() = 0;
  /// The last sample; stale where it is too old. Never an old position after a fault.
  virtual ProbePoint latest(MonotonicNs now) const = 0;
  /// The link stays closed until start().
  virtual bool refused() const = 0;
  /// Moves the probe by itself; null: not supported by the device, or not allowed by the configuration.
  virtual ProbeMover* mover() { return nullptr; }
  /// Stops motion and ends the session; closed() is true once both are done or impossible. The link is not
  /// reopened.
  virtual void close(MonotonicNs) {}
  virtual bool closed() const { return true; }
  /// Notes for the log, each returned once.
  virtual std::vector<std::string> take_notes() { return {}; }
};

}  // namespace datum
