// Watchdog: the service manager hears from datumd while the loop turns and the worker makes progress. No clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "drivers/port/pollable.h"

namespace datum {

struct WatchdogDependencies {
  MonotonicNs period_ns = 0;  // within which the manager wants to hear; 0: it does not ask
  std::function<std::optional<MonotonicNs>()> busy_since;  // of the job in hand; none: there is none
  std::function<std::uint64_t()> marks;                    // rises while that job makes progress
  std::function<void()> tell;
};

/// As the manager's environment asks for it.
MonotonicNs watchdog_period_ns();

class Watchdog {
 public:
  explicit Watchdog(WatchdogDependencies parts) : parts_(std::move(parts)) {}

  /// Tells four times a period. Not where a job has left no mark for half a period, or has run longer than any may.
  void feed(MonotonicNs now);
  /// When it was told last.
  std::optional<MonotonicNs> fed() const { return fed_; }

  /// Beyond the largest frame on the slowest controller: marks without end are no progress.
  static constexpr MonotonicNs longest_job_ns = MonotonicNs{600} * 1'000'000'000;

 private:
  bool hangs(MonotonicNs now);

  WatchdogDependencies parts_;
  std::uint64_t marks_ = 0;
  MonotonicNs marked_ = 0;  // when they were seen to rise
  MonotonicNs next_ = 0;
  std::optional<MonotonicNs> fed_;
};

}  // namespace datum
