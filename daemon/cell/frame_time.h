// When a frame was exposed, as far as that is known, and whether it is too old to be measured. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "daemon/cell/utc_watch.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

struct FrameTimeLimits {
  std::optional<int> max_age_ms;          // none: any age is measured
  std::optional<int> utc_uncertainty_ms;  // of the clock that stamps in UTC; none: such a stamp tells nothing
};
/// Of the source that is configured.
FrameTimeLimits frame_time_limits(const DaemonConfig& config);

/// Puts the exposure in host time beside the stamp, where its clock is the host's or UTC that is known well enough;
/// what its source has compared already stays.
void place_in_host_time(CaptureTime& captured, const UtcWatch& utc, const FrameTimeLimits& limits);

/// How a frame came; all in host time.
struct FrameArrival {
  MonotonicNs first_seen_ns = 0;  // its first byte, or its file
  MonotonicNs taken_ns = 0;       // for a board
  bool left_over = false;         // by an earlier run: when it came is not known
};
FrameAge age_of(const CaptureTime& captured, const FrameArrival& arrival, std::optional<double> allowed_ms);

/// Why the frame must not be measured; empty: it may.
std::string age_refusal(const FrameAge& age);

}  // namespace datum
