// Everything on the daemon's loop: a descriptor, a deadline, and what to do about each. No clock of its own.
#pragma once

#include <optional>
#include <string>

#include "drivers/frame/probe_point.h"

namespace datum {

class Pollable {
 public:
  virtual ~Pollable() = default;
  /// Descriptor to watch; -1: none at present (a link waiting to be reopened). May change after any call; one
  /// that is closed reads -1 at least until the next call, so that a reopened descriptor of the same number
  /// is watched anew.
  virtual int fd() const = 0;
  virtual bool wants_write() const { return false; }
  /// The descriptor is readable and/or writable, or has hung up. Never throws for what a peer does.
  virtual void on_ready(MonotonicNs now) = 0;
  /// When on_deadline wants to be called next; none: never.
  virtual std::optional<MonotonicNs> deadline() const = 0;
  virtual void on_deadline(MonotonicNs now) = 0;
  /// "serial /dev/ttyUSB0 115200 8N1: open", for status and log.
  virtual std::string describe() const = 0;
};

}  // namespace datum
