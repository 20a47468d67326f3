// Bytes of a CMM: the codec returns finite positions within the axes' limits, or none.
//
// 0xFF and the byte after it are an event for the codec instead of input; the bytes between two events are received at
// once.
#pragma once

#include <algorithm>
#include <cmath>

#include "drivers/cmm/codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace datum::fuzz {

inline void happens(CmmCodec& codec, char what, MonotonicNs now) {
  switch (what & 7) {
    case 0:
      return codec.begin_round(now);
    case 1:
      return codec.give_up(now);
    case 2:
      return codec.listen(true);
    case 3:
      return codec.listen(false);
    case 4:
      return codec.reset();
    case 5:
      return codec.confirm_referenced();
  }
}

inline void expect_sound(const CmmSettings& settings, const ProbePoint& point) {
  if (point.state != ProbeState::ok) return expect(!point.detail.empty(), "a fault has its reason");
  for (const AxisSettings& axis : settings.axes) {
    if (axis.machine_axis == no_machine_axis) continue;
    const double at_mm = point.position_mm.at(static_cast<std::size_t>(axis.machine_axis));
    expect(std::isfinite(at_mm) && at_mm >= axis.min_mm && at_mm <= axis.max_mm, "a position within limits");
  }
}

inline void receive(const CmmSettings& settings, std::string_view bytes) {
  CmmCodec codec(settings);
  MonotonicNs now = 1'000'000'000;
  codec.begin_round(now);
  for (std::size_t at = 0; at < bytes.size();) {
    now += 20 * ns_per_ms;
    const std::size_t end = std::min(bytes.find('\xFF', at), bytes.size());
    codec.pause(now);
    codec.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, end - at, now);
    if (end + 1 < bytes.size()) happens(codec, bytes[end + 1], now);
    at = end + 2;
    while (const auto point = codec.next()) expect_sound(settings, *point);
    while (const auto touch = codec.next_touch()) expect_sound(settings, *touch);
  }
}

}  // namespace datum::fuzz
