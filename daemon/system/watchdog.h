// Watchdog: notifies the service manager while the loop turns and the worker makes progress. Time is a parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "drivers/port/pollable.h"

namespace datum {

struct WatchdogDependencies {
  MonotonicNs period_ns = 0;  // WatchdogSec of the service manager; 0: no watchdog
  std::function<std::optional<MonotonicNs>()> busy_since;  // begin of the running job; none: idle
  std::function<std::uint64_t()> marks;                    // counter that rises while the job makes progress
  std::function<void()> tell;
};

/// Period from the environment of the service manager (sd_watchdog_enabled(3)).
MonotonicNs watchdog_period_ns();

class Watchdog {
 public:
  explicit Watchdog(WatchdogDependencies parts) : parts_(std::move(parts)) {}

  /// Notifies four times per period, unless a job made no progress for half a period or exceeds longest_job_ns.
  void feed(MonotonicNs now);
  /// Time of the last notification.
  std::optional<MonotonicNs> fed() const { return fed_; }

  /// Above the largest frame on the slowest controller: a counter that rises for ever is no progress.
  static constexpr MonotonicNs longest_job_ns = MonotonicNs{600} * 1'000'000'000;

 private:
  bool hangs(MonotonicNs now);

  WatchdogDependencies parts_;
  std::uint64_t marks_ = 0;
  MonotonicNs marked_ = 0;  // time of the last rise
  MonotonicNs next_ = 0;
  std::optional<MonotonicNs> fed_;
};

}  // namespace datum
