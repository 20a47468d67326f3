// The monotonic clock of datumctl.
#pragma once

#include <chrono>

#include "drivers/frame/probe_point.h"

namespace datum {

inline MonotonicNs now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace datum
