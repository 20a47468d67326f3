// How the sensor's clock stands to the host's: from questions of its time, each of which brackets the answer. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "drivers/frame/height_frame.h"
#include "drivers/frame/probe_point.h"

namespace datum::gocator {

class ClockEstimate {
 public:
  /// A question that was sent and answered at these host times, with the sensor's time in whole us. False: it
  /// contradicts what was known, which is forgotten (the sensor's clock was set or began anew).
  bool answered(MonotonicNs sent_ns, MonotonicNs received_ns, std::uint64_t sensor_us);
  /// Host time within which the sensor's clock showed this; none before the first answer.
  std::optional<HostSpan> host_time(std::uint64_t sensor_us, MonotonicNs now) const;
  /// Half width of what is known now, ns.
  std::optional<MonotonicNs> uncertainty_ns(MonotonicNs now) const;
  /// What the host's clock shows more than the sensor's, as far as it is known now.
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
