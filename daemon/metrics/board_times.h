// Times at which a board passed the stations of a measurement; 0: not reached.
#pragma once

#include "drivers/port/pollable.h"

namespace datum {

/// Monotonic clock. A board without a measurement (no frame, no position) has the times up to that point.
struct BoardTimes {
  MonotonicNs triggered_ns = 0;
  MonotonicNs taken_ns = 0;      // the cell accepted its frame
  MonotonicNs read_ns = 0;       // its frame file was read
  MonotonicNs complete_ns = 0;   // frame and positions are complete
  MonotonicNs begun_ns = 0;      // the worker began
  MonotonicNs measured_ns = 0;   // the verdict is known
  MonotonicNs stored_ns = 0;     // the result is on the disk
  MonotonicNs announced_ns = 0;  // the result was sent to the hosts
};

}  // namespace datum
