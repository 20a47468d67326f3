#include "drivers/gocator/clock_estimate.h"

#include <algorithm>

namespace datum::gocator {
namespace {

// Two quartz clocks of +-50 ppm each.
constexpr MonotonicNs drift_divisor = 10'000;
constexpr MonotonicNs ns_per_us = 1000;
constexpr std::uint64_t longest_us = 1'000'000'000'000'000;  // 31 years: longer than any sensor has run

}  // namespace

bool ClockEstimate::answered(MonotonicNs sent_ns, MonotonicNs received_ns, std::uint64_t sensor_us) {
  if (sensor_us > longest_us) {
    known_ = false;
    return false;
  }
  // The clock showed sensor_us at some instant between sending and receiving.
  const MonotonicNs sensor_ns = static_cast<MonotonicNs>(sensor_us) * ns_per_us;
  const Offset now{sent_ns - sensor_ns - ns_per_us, received_ns - sensor_ns};
  Offset both = now;
  if (known_) {
    const Offset before = widened(received_ns);
    both = {std::max(before.least, now.least), std::min(before.most, now.most)};
  }
  const bool agrees = both.least <= both.most;
  offset_ = agrees ? both : now;
  at_ns_ = received_ns;
  known_ = true;
  return agrees;
}

ClockEstimate::Offset ClockEstimate::widened(MonotonicNs now) const {
  const MonotonicNs drift = std::max<MonotonicNs>(0, now - at_ns_) / drift_divisor;
  return {offset_.least - drift, offset_.most + drift};
}

std::optional<HostSpan> ClockEstimate::host_time(std::uint64_t sensor_us, MonotonicNs now) const {
  if (!known_ || sensor_us > longest_us) return std::nullopt;
  const Offset offset = widened(now);
  const MonotonicNs sensor_ns = static_cast<MonotonicNs>(sensor_us) * ns_per_us;
  return HostSpan{sensor_ns + offset.least, sensor_ns + offset.most + ns_per_us};
}

std::optional<MonotonicNs> ClockEstimate::uncertainty_ns(MonotonicNs now) const {
  const auto known = offset(now);
  return known ? std::optional(known->uncertainty_ns) : std::nullopt;
}

std::optional<ClockOffset> ClockEstimate::offset(MonotonicNs now) const {
  if (!known_) return std::nullopt;
  const Offset offset = widened(now);
  const MonotonicNs half = (offset.most - offset.least) / 2;
  return ClockOffset{offset.least + half, half};
}

}  // namespace datum::gocator
