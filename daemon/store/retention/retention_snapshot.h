// State of retention as values, for metrics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "daemon/system/histogram.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// From the last listing, less the files to be removed.
struct KeptFiles {
  std::uint64_t number = 0, bytes = 0;  // deliveries or pictures, and bytes on the disk
};

struct RetentionSnapshot {
  std::uint64_t results_removed = 0;  // since the start
  // Time of the last search for old results; none: no limit demands it, or not yet.
  std::optional<MonotonicNs> looked_ns{};
  Histogram slices_s;                       // seconds per slice: a board may have waited for it
  bool clock_doubted = false;               // nothing is removed by age
  bool room_short = false;                  // the cell accepts no board
  std::uint64_t reserve_bytes = 0;          // free space that the cell demands
  std::map<std::string, KeptFiles> kept{};  // "frames", "pictures"; those with a limit
};

}  // namespace datum
