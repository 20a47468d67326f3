// UtcWatch: this computer's clock (UTC) against its monotonic one, which nobody sets. No I/O, no clock of its own.
#pragma once

#include <optional>

#include "drivers/frame/height_frame.h"
#include "drivers/frame/probe_point.h"

namespace datum {

class UtcWatch {
 public:
  /// Both clocks, read together; once a second or more often. Where UTC was set since the last call by 100 ms or more, by
  /// how much, ns (time servers that slew stay far below that).
  std::optional<std::int64_t> observe(MonotonicNs now, std::int64_t utc_ns);

  /// Host time within which a clock that keeps UTC within uncertainty_ns showed utc_ns; none before the first observe().
  /// Where this computer's clock was set within the last ten minutes, the span covers what it said before and after.
  std::optional<HostSpan> host_time(std::int64_t utc_ns, std::int64_t uncertainty_ns) const;

  /// UTC by the monotonic clock from the latest that UTC ever said: a clock that is set back makes nothing valid again.
  std::int64_t latest_utc_ns(MonotonicNs now) const;

 private:
  struct Range {  // host less UTC, ns
    MonotonicNs least = 0, most = 0;
  };
  static Range both(const Range& a, const Range& b);

  bool known_ = false;
  MonotonicNs offset_ns_ = 0, least_ever_ns_ = 0, began_ns_ = 0;
  Range now_, before_;  // of this stretch of time and the one before it
};

}  // namespace datum
