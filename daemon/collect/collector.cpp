#include "daemon/collect/collector.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace datum {
namespace {

constexpr MonotonicNs tick_ns = 200'000'000;
constexpr MonotonicNs proved_ns = 10'000'000'000;  // a link that lasts so long is one
constexpr int most_rounds = 64;                    // of reading and writing, before others have their turn

}  // namespace

Collector::Collector(const CollectSettings& settings, CollectorActions actions)
    : settings_(settings), actions_(std::move(actions)) {}

std::string Collector::describe() const {
  return fmt::format("{}: {}", settings_.broker.url,
                     phase_ == Phase::open      ? "connected"
                     : phase_ == Phase::opening ? "connecting"
                                                : "not connected");
}

std::optional<MonotonicNs> Collector::deadline() const {
  if (ended_) return std::nullopt;
  return earliest({tick_at_, session_at_});
}

void Collector::connect(MonotonicNs now) {
  try {
    connection_ = std::make_unique<AmqpConnection>(actions_.access(), std::vector<std::string>(),
                                                   settings_.broker.entries);
    phase_ = Phase::opening;
    opening_until_ = now + opening_ns;
    connection_->open();
  } catch (const std::runtime_error& error) {
    return drop(error.what(), now);
  }
  exchange(now);
}

/// What was not accepted comes again, and changes nothing where it is committed.
void Collector::drop(const std::string& why, MonotonicNs now) {
  if (why != told_ && !ending_)
    actions_.log(LOG_WARNING, fmt::format("{}: {}; entries wait there", settings_.broker.url, why));
  told_ = why;
  connection_.reset();
  session_at_.reset();
  phase_ = Phase::away;
  open_.clear();
  connect_at_ = now + wait_ns_;
  wait_ns_ = std::min(2 * wait_ns_, longest_wait_ns);
}

/// Bytes in, messages to the thread that writes, bytes out, until nothing moves.
void Collector::exchange(MonotonicNs now) {
  if (phase_ == Phase::away) return;
  try {
    bool moves = true;
    for (int round = 0; moves && round < most_rounds; ++round) {
      moves = connection_->receive();
      take(now);
      moves = connection_->transmit() || moves;
      if (!connection_->session().ended().empty()) return drop(connection_->session().ended(), now);
    }
    if (moves) tick_at_ = now;
    session_at_ = connection_->session().tick(now);
    connection_->transmit();
  } catch (
      const std::runtime_error& error) {  // of the port; what the broker said before it hung up says more
    const std::string said = connection_->session().ended();
    drop(said.empty() ? error.what() : said, now);
  }
}

/// Once for a link, when it has proved itself: a broker that breaks each one is not told as good each time, and not asked at once.
void Collector::announce() {
  if (is_announced_) return;
  is_announced_ = true;
  wait_ns_ = first_wait_ns;
  told_.clear();
  actions_.log(LOG_INFO, fmt::format("takes {} from {}", settings_.broker.entries, settings_.broker.url));
}

void Collector::take(MonotonicNs now) {
  AmqpSession& session = connection_->session();
  if (phase_ == Phase::opening && session.may_receive()) {
    phase_ = Phase::open;
    session.allow(static_cast<std::uint32_t>(settings_.broker.window));
    opened_ns_ = now;
    is_announced_ = false;
  }
  for (AmqpArrival& arrival : session.arrivals()) {
    if (ending_) continue;  // the broker gives it to the next one
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
    connection_->session().accept(found->second);
    open_.erase(found);
    ++settled;
  }
  settled_ns_ = now;
  if (settled > 0) announce();
  if (settled > 0 && !ending_) connection_->session().allow(settled);
  exchange(now);
}

void Collector::on_deadline(MonotonicNs now) {
  if (tick_at_ && now >= *tick_at_) tick_at_ = now + tick_ns;
  if (actions_.writer_has_ended()) end(now);
  if (phase_ == Phase::away && !ending_ && now >= connect_at_) return connect(now);
  if (phase_ == Phase::opening && now >= opening_until_)
    return drop(fmt::format("no answer for {} s", opening_ns / 1'000'000'000), now);
  exchange(now);
  if (phase_ == Phase::open && now - opened_ns_ >= proved_ns) announce();
  if (!ending_) return;
  const bool is_calm = actions_.writer_has_ended() && now - settled_ns_ > calm_before_close_ns;
  if (!is_calm && phase_ == Phase::open && now < ending_until_) return;
  if (connection_) connection_->close();
  connection_.reset();
  open_.clear();
  phase_ = Phase::away;
  ended_ = true;
}

void Collector::end(MonotonicNs now) {
  if (ending_) return;
  ending_ = true;
  ending_until_ = now + open_at_end_ns;
  actions_.end_writer();
}

}  // namespace datum
