#include "daemon/plant/amqp_link.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace datum {
namespace {

constexpr MonotonicNs tick_ns = 200'000'000;
constexpr int most_rounds = 64;  // of reading and writing, before others have their turn

}  // namespace

AmqpLink::AmqpLink(std::string url, std::string meanwhile, Log log)
    : url_(std::move(url)), meanwhile_(std::move(meanwhile)), log_(std::move(log)) {}

std::string AmqpLink::describe() const {
  return fmt::format("{}: {}", url_,
                     phase_ == Phase::open      ? "connected"
                     : phase_ == Phase::opening ? "connecting"
                                                : "not connected");
}

std::optional<MonotonicNs> AmqpLink::deadline() const {
  if (ended_) return std::nullopt;
  return earliest({tick_at_, session_at_});
}

void AmqpLink::connect(MonotonicNs now) {
  try {
    connection_ = make_connection();
    phase_ = Phase::opening;
    opening_until_ = now + opening_ns;
    connection_->open();
  } catch (const std::runtime_error& error) {
    return drop(error.what(), now);
  }
  exchange(now);
}

void AmqpLink::drop(const std::string& why, MonotonicNs now) {
  if (why != told_ && !ending_) log_(LOG_WARNING, fmt::format("{}: {}; {}", url_, why, meanwhile_));
  told_ = why;
  connection_.reset();
  session_at_.reset();
  phase_ = Phase::away;
  connect_at_ = now + wait_ns_;
  wait_ns_ = std::min(2 * wait_ns_, longest_wait_ns);
  lost(now);
}

void AmqpLink::exchange(MonotonicNs now) {
  if (phase_ == Phase::away) return;
  try {
    bool moves = true;
    for (int round = 0; moves && round < most_rounds; ++round) {
      moves = connection_->receive();
      work(now);
      if (phase_ == Phase::away) return;
      moves = connection_->transmit() || moves;
      if (!session().ended().empty()) return drop(session().ended(), now);
    }
    if (moves) tick_at_ = now;
    session_at_ = session().tick(now);
    connection_->transmit();
  } catch (
      const std::runtime_error& error) {  // of the port; what the broker said before it hung up says more
    const std::string said = session().ended();
    drop(said.empty() ? error.what() : said, now);
  }
}

bool AmqpLink::attend(MonotonicNs now) {
  if (tick_at_ && now >= *tick_at_) tick_at_ = now + tick_ns;
  if (phase_ == Phase::away && !ending_ && now >= connect_at_) {
    connect(now);
    return true;
  }
  if (phase_ != Phase::opening || now < opening_until_) return false;
  drop(fmt::format("no answer for {} s", opening_ns / 1'000'000'000), now);
  return true;
}

void AmqpLink::opened(MonotonicNs now) {
  phase_ = Phase::open;
  opened_ns_ = now;
  is_announced_ = false;
}

void AmqpLink::announce() {
  if (is_announced_) return;
  is_announced_ = true;
  told_.clear();
  log_(LOG_INFO, proved());
}

void AmqpLink::leave() {
  if (connection_) connection_->close();
  connection_.reset();
  phase_ = Phase::away;
  ended_ = true;
}

}  // namespace datum
