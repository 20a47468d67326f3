// What retention tells of itself: values, for whoever watches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "daemon/system/histogram.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// As they were listed last, less what is to go.
struct KeptFiles {
  std::uint64_t number = 0, bytes = 0;  // deliveries and pictures; on the disk
};

struct RetentionSnapshot {
  std::uint64_t results_removed = 0;        // since the start
  std::optional<MonotonicNs> looked_ns{};   // for old results, last; none: no limit asks for it, or not yet
  Histogram slices_s;                       // how long each took: a board may have waited for it
  bool clock_doubted = false;               // nothing goes by age
  bool room_short = false;                  // no board is taken
  std::uint64_t reserve_bytes = 0;          // the room that a board needs
  std::map<std::string, KeptFiles> kept{};  // "frames", "pictures"; where a limit is set
};

}  // namespace datum
