#include "daemon/cell/frame_time.h"

#include <fmt/format.h>

namespace datum {
namespace {

std::string clock_text(const std::string& by) {
  if (by == "arrival") return "counted from its arrival";
  return by == "sensor" ? "by the sensor's clock" : "by its stamp in " + by;
}

}  // namespace

FrameTimeLimits frame_time_limits(const DaemonConfig& config) {
  if (config.gocator) return {config.gocator->max_age_ms, std::nullopt};
  if (config.genicam) return {config.genicam->max_age_ms, std::nullopt};
  return {config.file_drop.max_age_ms, config.file_drop.utc_uncertainty_ms};
}

void place_in_host_time(CaptureTime& captured, const UtcWatch& utc, const FrameTimeLimits& limits) {
  if (captured.host) return;
  if (captured.clock == ClockDomain::host_monotonic) captured.host = HostSpan{captured.ns, captured.ns};
  if (captured.clock != ClockDomain::utc || !limits.utc_uncertainty_ms) return;
  captured.host = utc.host_time(captured.ns, *limits.utc_uncertainty_ms * ns_per_ms);
  if (!captured.host) return;
  const std::int64_t half_ns = (captured.host->to_ns - captured.host->from_ns) / 2;
  captured.offset = ClockOffset{captured.host->from_ns + half_ns - captured.ns, half_ns};
}

FrameAge age_of(const CaptureTime& captured, const FrameArrival& arrival, std::optional<double> allowed_ms) {
  FrameAge age;
  age.allowed_ms = allowed_ms;
  age.by = name_of(captured.clock);
  // A monotonic clock begins anew with the computer: a stamp of before would seem young.
  const bool known = captured.host && !(arrival.left_over && captured.clock == ClockDomain::host_monotonic);
  if (!known) age.by = "arrival";
  if (!known && arrival.left_over) return age;
  const MonotonicNs from_ns = known ? captured.host->from_ns : arrival.first_seen_ns;
  age.at_most_ms = static_cast<double>(arrival.taken_ns - from_ns) / ns_per_ms;
  return age;
}

std::string age_refusal(const FrameAge& age) {
  if (age.at_most_ms && *age.at_most_ms < 0)
    return fmt::format("it says that it was exposed {:.0f} ms after it came, {}: one of the clocks is wrong",
                       -*age.at_most_ms, clock_text(age.by));
  if (!age.allowed_ms) return "";
  if (!age.at_most_ms)
    return fmt::format("it came before datumd started and has no time stamp; allowed: {:.0f} ms",
                       *age.allowed_ms);
  if (*age.at_most_ms <= *age.allowed_ms) return "";
  return fmt::format("it was up to {:.0f} ms old when it was taken, {}; allowed: {:.0f} ms", *age.at_most_ms,
                     clock_text(age.by), *age.allowed_ms);
}

}  // namespace datum
