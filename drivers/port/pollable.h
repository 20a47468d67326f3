// An object on the daemon's event loop: a descriptor, a deadline, and their handlers. No clock of its own.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "drivers/frame/probe_point.h"

namespace datum {

/// The earliest of those that are; none: none is.
inline std::optional<MonotonicNs> earliest(std::initializer_list<std::optional<MonotonicNs>> times) {
  std::optional<MonotonicNs> first;
  for (const auto& time : times)
    if (time && (!first || *time < *first)) first = time;
  return first;
}

class Pollable {
 public:
  virtual ~Pollable() = default;
  /// Descriptor to poll; -1: none at present (a link waiting to be reopened). May change after any call. A
  /// closed one is -1 at least until the next call, so that a reopened descriptor of the same number is
  /// polled anew.
  virtual int fd() const = 0;
  virtual bool wants_write() const { return false; }
  /// The descriptor is readable or writable, or has hung up. Never throws because of a peer.
  virtual void on_ready(MonotonicNs now) = 0;
  /// Time of the next on_deadline call; none: never.
  virtual std::optional<MonotonicNs> deadline() const = 0;
  virtual void on_deadline(MonotonicNs now) = 0;
  /// "serial /dev/ttyUSB0 115200 8N1: open", for status and log.
  virtual std::string describe() const = 0;
};

}  // namespace datum
