#include "drivers/cmm/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

PairFault fault_of(ProbeState state) {
  switch (state) {
    case ProbeState::ok:
      return PairFault::none;
    case ProbeState::none_yet:
      return PairFault::missing;
    case ProbeState::stale:
      return PairFault::stale;
    default:
      return PairFault::error;
  }
}

double distance_um(const ProbePoint& a, const ProbePoint& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double d = b.position_mm[i] - a.position_mm[i];
    sum += d * d;
  }
  return std::sqrt(sum) * 1000;
}

/// Largest difference of one angle; none: only one of both states the head's angles.
std::optional<double> turned_deg(const ProbePoint& a, const ProbePoint& b) {
  if (a.head_deg.has_value() != b.head_deg.has_value()) return std::nullopt;
  double most = 0;
  for (std::size_t i = 0; a.head_deg && i < 3; ++i)
    most = std::max(most, std::abs((*b.head_deg)[i] - (*a.head_deg)[i]));
  return most;
}

}  // namespace

const char* name_of(PairFault fault) {
  switch (fault) {
    case PairFault::none:
      return "NONE";
    case PairFault::missing:
      return "MISSING";
    case PairFault::stale:
      return "STALE";
    case PairFault::moved:
      return "MOVED";
    case PairFault::error:
      return "ERROR";
  }
  return "?";
}

MonotonicNs measured_not_before(const ProbePoint& point, const PairSettings& settings) {
  return point.poll_sent_ns != 0 ? point.poll_sent_ns : point.first_byte_ns - settings.latency_ms * ns_per_ms;
}

PairingFault doubt_of(const ProbePoint& before, const ProbePoint& after, double moved_um, CaptureWindow frame,
                      const PairSettings& settings) {
  PairingFault doubt;
  doubt.spread_ns = std::max<MonotonicNs>(0, after.last_byte_ns - frame.from_ns);
  double off_um = moved_um;
  // Shortest possible duration of the move.
  if (const MonotonicNs taken_ns = measured_not_before(after, settings) - before.last_byte_ns; taken_ns > 0) {
    doubt.speed_um_per_s = moved_um / (static_cast<double>(taken_ns) * 1e-9);
    off_um = doubt.speed_um_per_s * static_cast<double>(doubt.spread_ns) * 1e-9;
  }
  doubt.u_um = off_um / std::sqrt(3.0);
  return doubt;
}

PairingResult pair(const ProbePoint& before, const ProbePoint& after, CaptureWindow frame,
                   const PairSettings& settings) {
  PairingResult result;
  result.before = before;
  result.after = after;
  result.exposure_known = frame.known;
  const auto refuse = [&](PairFault fault, std::string detail) {
    result.fault = fault;
    result.detail = std::move(detail);
    return result;
  };
  for (const auto& [point, name] : {std::pair(&before, "before"), std::pair(&after, "after")})
    if (point->state != ProbeState::ok)
      return refuse(fault_of(point->state),
                    fmt::format("position {} the frame: {} {}", name, name_of(point->state), point->detail));
  if (before.reference != after.reference)
    return refuse(PairFault::error, fmt::format("the position before is by {}, the one after by {}",
                                                before.reference.value_or("nothing stated"),
                                                after.reference.value_or("nothing stated")));
  result.moved_um = distance_um(before, after);
  result.doubt = doubt_of(before, after, result.moved_um, frame, settings);
  if (before.last_byte_ns > frame.from_ns)
    return refuse(PairFault::missing, "the position before came when the exposure may have begun");
  if (measured_not_before(after, settings) < frame.to_ns)
    return refuse(PairFault::missing, "the position after may have been measured before the exposure's end");
  const MonotonicNs window = settings.window_ms * ns_per_ms;
  const MonotonicNs early = frame.to_ns - measured_not_before(before, settings);
  const MonotonicNs late = after.last_byte_ns - frame.from_ns;
  for (const auto& [age, name] : {std::pair(early, "before"), std::pair(late, "after")})
    if (age > window)
      return refuse(PairFault::stale,
                    fmt::format("position {} the frame is up to {} ms away from it; allowed: {} ms", name,
                                age / ns_per_ms, settings.window_ms));
  if (!(result.moved_um <= settings.tolerance_um))
    return refuse(PairFault::moved,
                  fmt::format("the machine moved {:.3f} um around the frame; allowed: {} um", result.moved_um,
                              settings.tolerance_um));
  const std::optional<double> turned = turned_deg(before, after);
  if (!turned)
    return refuse(PairFault::error, "only one of the positions before and after states the head's angles");
  if (!(*turned <= settings.head_tolerance_deg))
    return refuse(PairFault::moved,
                  fmt::format("the head turned by {:.4f} degrees around the frame; allowed: {}", *turned,
                              settings.head_tolerance_deg));
  result.accepted = true;
  result.fault = PairFault::none;
  return result;
}

}  // namespace datum
