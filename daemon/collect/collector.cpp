#include "daemon/collect/collector.h"

#include <fmt/format.h>

#include <utility>

namespace datum {

Collector::Collector(const CollectSettings& settings, CollectorActions actions)
    : AmqpLink(settings.broker.url, "entries wait there", actions.log),
      settings_(settings),
      actions_(std::move(actions)) {}

std::unique_ptr<AmqpConnection> Collector::make_connection() {
  return std::make_unique<AmqpConnection>(actions_.access(), std::vector<std::string>(),
                                          settings_.broker.entries);
}

std::string Collector::proved() {
  begin_pauses_anew();
  return fmt::format("takes {} from {}", settings_.broker.entries, url());
}

/// Messages to the thread that writes.
void Collector::work(MonotonicNs now) {
  if (phase() == Phase::opening && session().may_receive()) {
    opened(now);
    session().allow(static_cast<std::uint32_t>(settings_.broker.window));
  }
  for (AmqpArrival& arrival : session().arrivals()) {
    if (is_ending()) continue;  // the broker gives it to the next one
    open_.emplace(++last_number_, arrival.number);
    actions_.write(last_number_,
                   delivered(std::move(arrival.body), settings_.largest_message, actions_.now_us()));
  }
}

void Collector::committed(const std::vector<std::uint64_t>& numbers, MonotonicNs now) {
  std::uint32_t settled = 0;
  for (const std::uint64_t number : numbers) {
    const auto found = open_.find(number);
    if (found == open_.end()) continue;  // of a connection that was lost
    session().accept(found->second);
    open_.erase(found);
    ++settled;
  }
  settled_ns_ = now;
  if (settled > 0) announce();
  if (settled > 0 && !is_ending()) session().allow(settled);
  exchange(now);
}

void Collector::on_deadline(MonotonicNs now) {
  if (actions_.writer_has_ended()) end(now);
  if (attend(now)) return;
  exchange(now);
  if (is_proved_by_time(now)) announce();
  if (!is_ending()) return;
  const bool is_calm = actions_.writer_has_ended() && now - settled_ns_ > calm_before_close_ns;
  if (!is_calm && phase() == Phase::open && now < ending_until_) return;
  open_.clear();
  leave();
}

void Collector::end(MonotonicNs now) {
  if (is_ending()) return;
  set_ending();
  ending_until_ = now + open_at_end_ns;
  actions_.end_writer();
}

}  // namespace datum
