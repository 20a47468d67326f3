// When a board passed each point of its way; 0: it did not.
#pragma once

#include "drivers/port/pollable.h"

namespace datum {

/// Of the monotonic clock. A board that is not measured (no frame came, no position) has the times that it got to.
struct BoardTimes {
  MonotonicNs triggered_ns = 0;
  MonotonicNs taken_ns = 0;      // its frame, by the cell
  MonotonicNs read_ns = 0;       // the frame's file
  MonotonicNs complete_ns = 0;   // frame and positions: it may be measured
  MonotonicNs begun_ns = 0;      // by the worker
  MonotonicNs measured_ns = 0;   // the verdict stands
  MonotonicNs stored_ns = 0;     // on the disk
  MonotonicNs announced_ns = 0;  // to the hosts
};

}  // namespace datum
