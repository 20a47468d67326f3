// ProbePoint: one position reported by a CMM or a stage, with the times that decide its validity.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace datum {

/// Monotonic host time in ns; tests inject it.
using MonotonicNs = std::int64_t;
inline constexpr MonotonicNs ns_per_ms = 1'000'000;

/// State of a position. Only `ok` may be paired with a frame.
enum class ProbeState : std::uint8_t {
  ok,
  none_yet,        // no position received yet
  stale,           // older than its limit
  partial,         // axes missing from the group
  device_error,    // reported by the line itself (?, ERR, ****, ALARM, overflow)
  out_of_range,    // outside the axis limits of the configuration
  wrong_unit,      // the unit on the line is not the configured one
  malformed,       // unreadable line or wrong checksum
  not_referenced,  // reference marks not passed, or position lost by a reset
  link_down,
};
const char* name_of(ProbeState s);

/// Position of the machine in mm, machine coordinates (axes X, Y, Z after the preset's mapping, sign and
/// scale).
struct ProbePoint {
  std::array<double, 3> position_mm{};
  /// Angles A, B, C of the head that carries the sensor, in degrees as the machine states them; those that it does not have are 0.
  /// None: no angle is configured, or this message has none.
  std::optional<std::array<double, 3>> head_deg{};
  ProbeState state = ProbeState::none_yet;
  std::string detail;             // text of the device, where state is not ok
  MonotonicNs first_byte_ns = 0;  // host time of the line's first byte
  MonotonicNs last_byte_ns = 0;
  MonotonicNs poll_sent_ns = 0;  // 0 for a free-running device
  std::uint64_t sequence = 0;    // counts samples of this device since its link opened
  /// The position's tool or coordinate system as reported; none: not reported.
  std::optional<std::string> reference;
};

}  // namespace datum
