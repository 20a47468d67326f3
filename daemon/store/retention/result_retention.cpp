#include "daemon/store/retention/result_retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "config/utc_time.h"

namespace datum {
namespace {

constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t kept_every_s = 3600;  // shortest period of keep_clock()
constexpr auto all = std::numeric_limits<std::uint64_t>::max();

/// Seconds of a stored time with its fraction.
std::optional<std::int64_t> seconds_of(const std::string& iso) {
  return iso.size() < 19 ? std::nullopt : utc_from_iso8601(iso.substr(0, 19) + "Z");
}

}  // namespace

/// The present time where the clock is trusted, else the last trusted time.
std::int64_t ResultRetention::trusted_utc_s(ResultStore& store, std::int64_t utc_s,
                                            KeepOutcome& outcome) const {
  auto kept = seconds_of(store.kept_clock());
  if (!kept) {  // first call: the newest result gives the time
    const auto newest = store.latest();
    kept = newest ? seconds_of(newest->measured_at) : std::optional(utc_s);
    if (!kept) kept = utc_s;
  }
  const auto accepted = settings_.date_accepted.empty()
                            ? std::nullopt
                            : utc_from_iso8601(settings_.date_accepted + "T23:59:59Z");
  const std::int64_t vouched = accepted ? std::max(*kept, std::min(*accepted, utc_s)) : *kept;
  if (utc_s > vouched + most_jump_days * seconds_per_day) {
    outcome.doubt = fmt::format(
        "the clock says {}, {} days after {}: no result is removed by age; set the clock, or state "
        "retention.date_accepted = \"{}\" where it is right",
        iso8601_from_utc(utc_s), (utc_s - vouched) / seconds_per_day, iso8601_from_utc(vouched),
        iso8601_from_utc(utc_s).substr(0, 10));
    return vouched;
  }
  if (store.kept_clock().empty() || utc_s > *kept + kept_every_s)
    store.keep_clock(iso8601_from_utc(std::max(*kept, utc_s)));
  return utc_s;  // a clock that was set back removes fewer results
}

std::vector<RemovalOrder> ResultRetention::orders(ResultStore& store, std::int64_t trusted_s,
                                                  const StoreExtent& have, const KeepMoment& now) const {
  std::vector<RemovalOrder> orders;
  const std::string utc = iso8601_from_utc(now.utc_s);
  const std::uint64_t acknowledged = now.acknowledged.value_or(all);
  const auto add = [&](std::uint64_t up_to, const std::string& before, const std::string& rule) {
    if (up_to >= have.first) orders.push_back({up_to, before, most_at_once, rule, utc});
  };
  if (settings_.results.days) {
    const int days = *settings_.results.days;
    const auto before = [&](std::int64_t d) {
      return iso8601_from_utc(trusted_s - d * seconds_per_day).substr(0, 19);
    };
    add(acknowledged, before(days), fmt::format("older than {} days", days));
    if (acknowledged != all)
      add(all, before(2 * std::int64_t{days}), fmt::format("older than twice {} days", days));
  }
  if (settings_.results_count) {
    const std::uint64_t most = *settings_.results_count;
    if (const std::uint64_t old = have.below_newest(most); old > 0)
      add(std::min(acknowledged, old), "", fmt::format("more than {} results", most));
    if (const std::uint64_t old = have.below_newest(2 * most); old > 0)
      add(old, "", fmt::format("more than twice {} results", most));
  }
  if (settings_.results.bytes && store.used_bytes() > *settings_.results.bytes)
    add(store.used_bytes() > 2 * *settings_.results.bytes ? all : acknowledged, "",
        fmt::format("the store is larger than {} MiB", *settings_.results.bytes >> 20));
  return orders;
}

KeepOutcome ResultRetention::slice(ResultStore& store, const KeepMoment& now) const {
  const MonotonicNs from = now.clock ? now.clock() : 0;
  KeepOutcome outcome = remove(store, now);
  if (now.clock) outcome.took_ns = now.clock() - from;
  return outcome;
}

KeepOutcome ResultRetention::remove(ResultStore& store, const KeepMoment& now) const {
  KeepOutcome outcome;
  const bool by_age = settings_.results.days || settings_.frames.days || settings_.pictures.days;
  const std::int64_t trusted_s = by_age ? trusted_utc_s(store, now.utc_s, outcome) : now.utc_s;
  const StoreExtent have = store.extent();
  if (have.count < 2) return outcome;
  for (RemovalOrder& order : orders(store, trusted_s, have, now)) {
    if (now.clock)
      order.enough = [&clock = now.clock, until = now.clock() + most_reading_ns] { return clock() >= until; };
    outcome.removed = store.remove_oldest(order);
    if (outcome.removed.results == 0) continue;
    outcome.more = outcome.removed.more;
    if (!outcome.removed.altered.empty())
      outcome.notes.push_back(fmt::format("results {} to {} were removed ({}), and were not as written: {}",
                                          outcome.removed.first, outcome.removed.last, order.rule,
                                          outcome.removed.altered));
    if (now.acknowledged && outcome.removed.last > *now.acknowledged)
      outcome.unseen =
          fmt::format("results are removed ({}) that a host has not taken; it acknowledged up to {}",
                      order.rule, *now.acknowledged);
    break;
  }
  return outcome;
}

}  // namespace datum
