#include "daemon/modbus/link_registers.h"

#include <algorithm>

#include "daemon/modbus/register_map.h"

namespace datum::modbus {
namespace {

constexpr MonotonicNs ns_per_us = 1000, ns_per_s = 1'000'000'000;

std::uint16_t number_of(LinkState state) {
  switch (state) {
    case LinkState::closed:
      return link_state_closed;
    case LinkState::connecting:
      return link_state_connecting;
    case LinkState::open:
      return link_state_open;
    case LinkState::refused:
      return link_state_refused;
  }
  return link_state_none;
}

/// In whole units, saturating.
std::int32_t counted(MonotonicNs ns, MonotonicNs unit_ns) {
  return static_cast<std::int32_t>(std::clamp<MonotonicNs>(ns / unit_ns, 0, INT32_MAX));
}

void put_link(Words to, Address at, const LinkReport* report, MonotonicNs now) {
  const auto since = [now](std::optional<MonotonicNs> then, MonotonicNs unit_ns) {
    return then ? counted(now - *then, unit_ns) : no_integer;
  };
  std::optional<MonotonicNs> entered_ns, delivered_ns;
  if (report && report->record.since_ns > 0) entered_ns = report->record.since_ns;
  if (report) delivered_ns = report->delivered_ns;
  to[at + of_link_state] = report ? number_of(report->state) : std::uint16_t{link_state_none};
  to[at + of_link_lost] = report ? static_cast<std::uint16_t>(report->record.lost) : std::uint16_t{0};
  put_i32(to, at + of_link_since, since(entered_ns, ns_per_s));
  put_i32(to, at + of_link_age, since(delivered_ns, ns_per_ms));
}

}  // namespace

void put_links(Words to, const std::vector<LinkReport>& reports, MonotonicNs now) {
  const auto named = [&](const char* name) {
    const auto found =
        std::find_if(reports.begin(), reports.end(), [&](const auto& r) { return r.name == name; });
    return found == reports.end() ? nullptr : &*found;
  };
  const LinkReport* sensor = named("sensor");
  put_link(to, at_sensor_link, sensor, now);
  put_i32(to, at_sensor_link + of_link_clock,
          sensor && sensor->clock ? counted(sensor->clock->uncertainty_ns, ns_per_us) : no_integer);
  put_link(to, at_cmm_link, named("cmm"), now);
}

void put_checks(Words to, const ReferenceChecker* checker, std::int64_t utc_s) {
  const std::vector<CheckStatus> checks = checker ? checker->checks() : std::vector<CheckStatus>{};
  to[at_check_state] = static_cast<std::uint16_t>(worst_of(checks));
  std::optional<std::int64_t> first;
  for (const CheckStatus& c : checks)
    if (c.until_utc_s != 0 && (!first || c.until_utc_s < *first)) first = c.until_utc_s;
  put_i32(to, at_check_due,
          first ? static_cast<std::int32_t>(
                      std::clamp<std::int64_t>(*first - utc_s, no_integer + std::int64_t{1}, INT32_MAX))
                : no_integer);
}

void put_chart(Words to, const ChartStatus& chart) {
  to[at_chart_state] = static_cast<std::uint16_t>(chart.state);
  put_u32(to, at_chart_hits,
          static_cast<std::uint32_t>(std::min<std::uint64_t>(chart.hit_results, UINT32_MAX)));
}

}  // namespace datum::modbus
