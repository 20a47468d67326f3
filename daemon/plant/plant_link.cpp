#include "daemon/plant/plant_link.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace datum {
namespace {

constexpr MonotonicNs ns_per_s = 1'000'000'000;
constexpr MonotonicNs keep_ns =
    ns_per_s;  // keeps the position while messages are open; fsync takes milliseconds
constexpr MonotonicNs leave_ns = 5 * ns_per_s;

std::int64_t minutes(MonotonicNs ns) { return ns / (60 * ns_per_s); }

}  // namespace

PlantLink::PlantLink(const std::filesystem::path& store, const PlantSettings& settings,
                     const PlantPosition& from, PlantLinkActions actions)
    : AmqpLink(settings.url, "results stay in the store until they are accepted", actions.log),
      settings_(settings),
      actions_(std::move(actions)),
      accepted_(from),
      feed_(store, settings, from),
      window_(static_cast<std::size_t>(settings.window)) {
  std::size_t senders = 0;
  if (!settings_.messages.empty()) messages_ = senders++;
  if (!settings_.entries.empty()) entries_ = senders++;
}

std::unique_ptr<AmqpConnection> PlantLink::make_connection() {
  BrokerAccess access = actions_.access();
  std::vector<std::string> addresses;
  if (messages_) addresses.push_back(settings_.messages);
  if (entries_) addresses.push_back(settings_.entries);
  greeted_ = !messages_;
  return std::make_unique<AmqpConnection>(std::move(access), addresses);
}

void PlantLink::lost(MonotonicNs now) {
  is_slow_ = is_waiting_ = false;
  if (!offline_since_) offline_since_ = now;
  window_.lost();
  feed_.rewind(accepted_);
  tick_at(is_ending() ? now : connects_at());
  keep();
  report();
}

void PlantLink::work(MonotonicNs now) {
  hear(now);
  if (phase() != Phase::away) fill(now);
}

/// What the broker said about messages. Those that it accepted count, whatever it said of others.
void PlantLink::hear(MonotonicNs now) {
  std::string refusal;
  for (const AmqpOutcome& outcome : session().outcomes()) {
    if (!outcome.accepted) {
      if (refusal.empty()) refusal = outcome.how;
      continue;
    }
    if (!window_.has(outcome.number)) continue;  // of the moment: no progress
    progress_ns_ = now;
    is_slow_ = false;
    auto reached = window_.accepted(outcome.number);
    if (!reached) continue;
    accepted_ = *std::move(reached);
    is_kept_ = false;
    begin_pauses_anew();
    patience_ns_ = first_patience_ns;
    announce();
  }
  if (!refusal.empty())
    drop(fmt::format("a message behind entry {} was not taken: {}", accepted_.place.link, refusal), now);
}

void PlantLink::fill(MonotonicNs now) {
  if (phase() == Phase::opening && session().is_open()) {
    opened(now);
    progress_ns_ = now;
    report();
  }
  if (phase() != Phase::open) return;
  is_waiting_ = window_.open() > 0;
  if (is_ending()) return;
  greet(now);
  if (!greeted_) is_waiting_ = true;
  while (greeted_ && !is_drained_ && !window_.is_full()) {
    const PlantMessage* next = next_message();
    is_drained_ = !next;  // until the next tick
    if (!next) break;
    is_waiting_ = true;
    if (!send(*next)) break;
    feed_.pop();
  }
}

namespace {

/// With the properties by which a CFX peer knows a message. Message: PlantMessage or CfxMessage.
template <class Message>
AmqpMessage addressed(const Message& m, const std::string& handle, bool durable) {
  return {
      m.id,
      handle + "." + m.name,
      R"(application/json; charset="utf-8")",
      durable,
      {{"cfx-message", m.name}, {"cfx-handle", handle}, {"cfx-topic", m.name.substr(0, m.name.rfind('.'))}},
      m.json};
}

}  // namespace

bool PlantLink::send(const PlantMessage& message) {
  const std::size_t sender = message.to == PlantMessage::To::messages ? *messages_ : *entries_;
  if (!session().may_send(sender)) return false;
  const auto number = session().send(sender, addressed(message, settings_.handle, true));
  if (number) window_.sent(*number, message.json.size(), message.completes);
  return number.has_value();
}

/// What is of the moment is sent where there is room, and never again.
void PlantLink::tell(const CfxMessage& message) {
  if (!messages_ || phase() != Phase::open || !session().may_send(*messages_)) return;
  session().send(*messages_, addressed(message, settings_.handle, false));
}

void PlantLink::greet(MonotonicNs now) {
  if (greeted_ || !session().may_send(*messages_)) return;
  const CfxOrigin at = origin();
  const MonotonicNs away = offline_since_ ? now - *offline_since_ : 0;
  tell(cfx_connected(at, "connected " + at.utc));
  tell(cfx_online(at, "online " + at.utc, away / ns_per_s));
  tell(cfx_heartbeat(at, "heartbeat " + at.utc, settings_.heartbeat_s));
  heart_at_ = now + settings_.heartbeat_s * ns_per_s;
  greeted_ = true;
}

std::string PlantLink::proved() {
  offline_since_.reset();
  return fmt::format("connected with {}", url());
}

/// Null: there is none, or the store can't be read, which is no reason to leave the broker.
const PlantMessage* PlantLink::next_message() {
  try {
    const PlantMessage* next = feed_.front();
    if (const std::string notice = feed_.notice(); !notice.empty()) actions_.log(LOG_WARNING, notice);
    store_told_.clear();
    return next;
  } catch (const std::exception& error) {
    if (store_told_ != error.what()) actions_.log(LOG_WARNING, error.what());
    store_told_ = error.what();
    return nullptr;
  }
}

/// A broker without outcome or credit for long.
void PlantLink::look_for_progress(MonotonicNs now) {
  if (phase() != Phase::open || !is_waiting_) {
    progress_ns_ = now;
    return;
  }
  const MonotonicNs since = now - progress_ns_;
  if (since >= patience_ns_) {
    const std::string why = fmt::format("it accepted nothing for {} min", minutes(patience_ns_));
    patience_ns_ = std::min(2 * patience_ns_, longest_patience_ns);
    return drop(why, now);
  }
  if (since < slow_ns || is_slow_) return;
  is_slow_ = true;
  actions_.log(
      LOG_WARNING,
      fmt::format("{}: it is connected, and accepts nothing: {}; results stay in the store", settings_.url,
                  window_.open() > 0 ? fmt::format("{} messages wait for its answer", window_.open())
                                     : "it gives no credit (an alarm of its memory or disk?)"));
  report();
}

/// Where the position can't be kept, more is sent again after a restart.
void PlantLink::keep() {
  if (is_kept_) return;
  try {
    actions_.keep(accepted_);
    is_kept_ = true;
    keep_told_.clear();
    report();
  } catch (const std::exception& error) {
    if (keep_told_ != error.what())
      actions_.log(LOG_ERR, fmt::format("the place up to which everything was accepted can't be kept: {}",
                                        error.what()));
    keep_told_ = error.what();
  }
}

void PlantLink::report() {
  const std::string now =
      fmt::format("accepted up to entry {}; {}", accepted_.place.link,
                  phase() != Phase::open ? (trouble().empty() ? "connecting" : "not connected: " + trouble())
                  : is_slow_             ? "connected, and the broker accepts nothing"
                                         : "connected");
  if (now == status_) return;
  status_ = now;
  actions_.status(now);
}

void PlantLink::on_deadline(MonotonicNs now) {
  if (window_.open() == 0 || now - kept_ns_ >= keep_ns) {
    keep();
    kept_ns_ = now;
  }
  is_drained_ = false;
  if (attend(now)) return;
  if (phase() == Phase::open && greeted_ && messages_ && now >= heart_at_ && !is_ending()) {
    const CfxOrigin at = origin();
    tell(cfx_heartbeat(at, "heartbeat " + at.utc, settings_.heartbeat_s));
    heart_at_ = now + settings_.heartbeat_s * ns_per_s;
  }
  exchange(now);
  look_for_progress(now);
  if (is_proved_by_time(now) && !is_slow_) announce();
  if (is_ending() && (phase() != Phase::open || window_.open() == 0 || now >= ending_until_)) finish();
}

void PlantLink::end(MonotonicNs now) {
  if (is_ending()) return;
  const CfxOrigin at = origin();
  if (greeted_) tell(cfx_shutting_down(at, "shutting down " + at.utc));
  set_ending();
  ending_until_ = now + leave_ns;
  exchange(now);
  if (phase() != Phase::open || window_.open() == 0) finish();
}

void PlantLink::finish() {
  leave();
  keep();
}

}  // namespace datum
