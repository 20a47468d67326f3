// Offset between the sensor's clock and the host's, from time requests, each of which brackets the answer.
// Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "drivers/frame/height_frame.h"
#include "drivers/frame/probe_point.h"

namespace datum::gocator {

class ClockEstimate {
 public:
  /// Adds a request sent and answered at these host times, with the sensor's time in whole us. False: it
  /// contradicts the earlier ones, which are discarded (the sensor's clock was set or restarted).
  bool answered(MonotonicNs sent_ns, MonotonicNs received_ns, std::uint64_t sensor_us);
  /// Span of host time in which the sensor's clock showed this; none before the first answer.
  std::optional<HostSpan> host_time(std::uint64_t sensor_us, MonotonicNs now) const;
  /// Half width of the current estimate, ns.
  std::optional<MonotonicNs> uncertainty_ns(MonotonicNs now) const;
  /// Current estimate of host clock minus sensor clock.
  std::optional<ClockOffset> offset(MonotonicNs now) const;
  void reset() { known_ = false; }

 private:
  struct Offset {  // host - sensor, ns
    MonotonicNs least = 0, most = 0;
  };
  Offset widened(MonotonicNs now) const;

  bool known_ = false;
  Offset offset_;
  MonotonicNs at_ns_ = 0;
};

}  // namespace datum::gocator
