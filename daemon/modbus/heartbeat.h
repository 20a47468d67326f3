// Heartbeats: one that this side gives, one of the PLC that is watched. Time is told.
#pragma once

#include <optional>

#include "drivers/port/pollable.h"

namespace datum::modbus {

/// HEARTBEAT_OUT: another level each half second.
class Beat {
 public:
  static constexpr MonotonicNs period_ns = 500'000'000;
  /// True: the level changed. A loop that was late beats once, not for all it missed.
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

/// HEARTBEAT_IN: stale when it did not toggle for three periods.
class PlcBeat {
 public:
  /// 0: no longer watched.
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
  /// When it becomes stale unless it toggles; none: it is not watched.
  std::optional<MonotonicNs> due() const {
    return period_ns_ > 0 ? std::optional(toggled_at_ + 3 * period_ns_) : std::nullopt;
  }

 private:
  MonotonicNs period_ns_ = 0, toggled_at_ = 0;
  bool level_ = false;
};

}  // namespace datum::modbus
