// Heartbeats: one of this side, and supervision of the PLC's. Time is a parameter.
#pragma once

#include <optional>

#include "drivers/port/pollable.h"

namespace datum::modbus {

/// HEARTBEAT_OUT: toggles every half second.
class Beat {
 public:
  static constexpr MonotonicNs period_ns = 500'000'000;
  /// True: the level changed. A late loop toggles once, not once per missed period.
  bool due(MonotonicNs now) {
    if (next_ && now < *next_) return false;
    level_ = !level_;
    next_ = now + period_ns;
    return true;
  }
  bool level() const { return level_; }
  MonotonicNs next() const { return next_.value_or(0); }

 private:
  bool level_ = false;
  std::optional<MonotonicNs> next_;
};

/// HEARTBEAT_IN: stale after three periods without a toggle.
class PlcBeat {
 public:
  /// 0: supervision off.
  void watch(int period_ms, MonotonicNs now) {
    period_ns_ = MonotonicNs{period_ms} * 1'000'000;
    toggled_at_ = now;
  }
  void level(bool level, MonotonicNs now) {
    if (level == level_) return;
    level_ = level;
    toggled_at_ = now;
  }
  bool stale(MonotonicNs now) const { return period_ns_ > 0 && now - toggled_at_ >= 3 * period_ns_; }
  /// Time at which it becomes stale; none: supervision off.
  std::optional<MonotonicNs> due() const {
    return period_ns_ > 0 ? std::optional(toggled_at_ + 3 * period_ns_) : std::nullopt;
  }

 private:
  MonotonicNs period_ns_ = 0, toggled_at_ = 0;
  bool level_ = false;
};

}  // namespace datum::modbus
