// Health channel (TCP 3194): indicators, and counters of lost data. Pure.
//
//   u32 size, u16 control (type 0), u32 count, u8 source, 3 reserved, then count x {u32 id, u32 instance, s64}
#pragma once

#include <map>
#include <string>
#include <utility>

#include "drivers/gocator/wire.h"

namespace datum::gocator {

inline constexpr std::size_t least_health_bytes = 14, most_health_bytes = 1 << 20;

struct Indicator {
  std::uint32_t id = 0, instance = 0;
  std::int64_t value = 0;
};

/// `message` is complete; empty for another type. Throws ProtocolError where the count contradicts the size.
std::vector<Indicator> health_of(ByteView message);

/// Text for a counter whose increase means lost data; nullptr for any other indicator.
const char* drop_counter(std::uint32_t id);

/// Counter increases since the first message of a connection; earlier ones are unknown.
class DropCounters {
 public:
  /// Increases as text ("Ethernet drops rose by 2 to 5"); empty: none.
  std::string rise(const std::vector<Indicator>& indicators);
  void reset() { last_.clear(); }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> last_;
};

}  // namespace datum::gocator
