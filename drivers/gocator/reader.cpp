#include "drivers/gocator/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

// Limit of one wake-up's read from the data channel, so that a fast sensor does not starve the loop.
constexpr std::size_t most_bytes_at_once = 4 << 20;
constexpr std::size_t bytes_per_mib = 1 << 20;

LinkLimits limits_of(const Settings& settings, bool reopens) {
  LinkLimits limits;
  limits.connect_ms = settings.answer_ms;
  limits.reopens = reopens;
  limits.refusal_is_final = false;  // a name may resolve later
  return limits;
}

}  // namespace

Ports tcp_ports(const Settings& s) {
  return {tcp_port(s.address, s.control_port), tcp_port(s.address, s.health_port),
          tcp_port(s.address, s.data_port)};
}

Reader::Reader(const Settings& settings, Listener& listener, Ports ports)
    : settings_(settings),
      listener_(listener),
      replies_("control", least_reply_bytes, most_reply_bytes),
      health_messages_("health", least_health_bytes, most_health_bytes),
      receiver_(static_cast<std::size_t>(settings.max_message_mib) * bytes_per_mib, &listener),
      control_(
          std::move(ports.control), limits_of(settings, true), [this](MonotonicNs t) { control_ready(t); },
          [this](MonotonicNs t) { greet(t); },
          [this](const std::string& why, MonotonicNs t) { closed(why, t); }),
      health_(
          std::move(ports.health), limits_of(settings, false), [this](MonotonicNs t) { health_ready(t); },
          [this](MonotonicNs t) { channel_open(t); },
          [this](const std::string& why, MonotonicNs t) { control_.keeper().lose(why, t); }),
      data_(
          std::move(ports.data), limits_of(settings, false), [this](MonotonicNs t) { data_ready(t); },
          [this](MonotonicNs t) { channel_open(t); },
          [this](const std::string& why, MonotonicNs t) { control_.keeper().lose(why, t); }) {}

std::string Reader::said(const std::string& what) const {
  return fmt::format("gocator {}: {}", settings_.address, what);
}

void Reader::start(MonotonicNs now) { control_.keeper().start(now); }

void Reader::greet(MonotonicNs now) {
  state_ = State::greeting;
  up_ = true;
  for (const Command c :
       {Command::get_version, Command::get_states, Command::get_loaded_job, Command::get_timestamp})
    ask(c, now);
}

void Reader::closed(const std::string& why, MonotonicNs now) {
  health_.keeper().shut(now);
  data_.keeper().shut(now);
  replies_.reset();
  receiver_.reset();
  questions_.clear();
  asked_ns_.reset();
  due_ns_.reset();
  next_watch_ns_.reset();
  stalled_ns_.reset();
  job_.reset();
  const bool told = !std::exchange(up_, false) && why == why_;
  why_ = why;
  if (!told) listener_.lost(why, now);
}

std::string Reader::why_not_running() const {
  if (!control_.up() || state_ != State::running) return why_.empty() ? "" : said("not connected: " + why_);
  if (sensor_ == States::Sensor::running) return "";
  return said(sensor_ == States::Sensor::conflict ? "in conflict; see it in the sensor's own interface"
                                                  : "is stopped; start it");
}

// ---- control ----

void Reader::ask(Command command, MonotonicNs now, bool first) {
  const Question question{command, command == Command::get_loaded_job ? ++last_ticket_ : 0};
  // The request already sent stays in front.
  first ? void(questions_.insert(questions_.begin() + (asked_ns_ ? 1 : 0), question))
        : questions_.push_back(question);
  send_next(now);
}

void Reader::send_next(MonotonicNs now) {
  if (asked_ns_ || questions_.empty() || !control_.up()) return;
  asked_ns_ = now;
  due_ns_ = now + settings_.answer_ms * ns_per_ms;
  if (questions_.front().command == Command::trigger) triggered_ns_ = now;
  control_.send(request(questions_.front().command));
}

std::uint64_t Reader::ask_job(MonotonicNs now) {
  // A request not yet sent will be answered after now.
  const auto waiting = std::find_if(questions_.begin() + (asked_ns_ ? 1 : 0), questions_.end(),
                                    [](const Question& q) { return q.command == Command::get_loaded_job; });
  if (waiting != questions_.end()) return waiting->ticket;
  control_.keeper().run(now, [&] { ask(Command::get_loaded_job, now, true); });
  return last_ticket_;
}

void Reader::trigger(MonotonicNs now) {
  if (!control_.up() || state_ != State::running) {
    const std::string why = why_not_running();
    return listener_.fault(why.empty() ? said("not connected yet") : why);
  }
  control_.keeper().run(now, [&] { ask(Command::trigger, now, true); });
}

void Reader::control_ready(MonotonicNs now) {
  control_.keeper().run(now, [&] {
    std::array<std::uint8_t, 4096> bytes;
    const std::size_t got = control_.keeper().read(bytes.data(), bytes.size(), now);
    replies_.receive(ByteView(bytes).first(got));
    while (auto message = replies_.next()) answered(reply_of(*message), now);
    control_.keeper().flush();
  });
}

void Reader::answered(const Reply& reply, MonotonicNs now) {
  if (!asked_ns_ || questions_.front().command != reply.command)
    throw ProtocolError(Fault::wrong_reply,
                        fmt::format("a reply to {} (0x{:04X}) that was not asked for", name_of(reply.command),
                                    static_cast<int>(reply.command)));
  const Question question = questions_.front();
  if (reply.status != status_ok) {
    refused(reply, now);
  } else if (reply.command == Command::get_version || reply.command == Command::protocol_version) {
    version_ = version_of(reply);
  } else if (reply.command == Command::get_states) {
    take_states(states_of(reply), now);
  } else if (reply.command == Command::get_loaded_job) {
    job_ = loaded_job_of(reply);
    listener_.job(question.ticket, *job_, now);
  } else if (reply.command == Command::get_timestamp) {
    take_timestamp(reply, now);
  } else if (reply.command == Command::start) {
    sensor_ = States::Sensor::running;
    listener_.counts_anew();
    begin_running();
  }
  if (!control_.up()) return;  // its content closed the connection
  questions_.pop_front();
  asked_ns_.reset();
  due_ns_.reset();
  send_next(now);
  if (state_ == State::greeting && questions_.empty()) greeted(now);
}

void Reader::refused(const Reply& reply, MonotonicNs now) {
  const std::string words =
      fmt::format("{} was refused: status {}", name_of(reply.command), text_of_status(reply.status));
  switch (reply.command) {
    case Command::get_version:  // older firmware
      if (reply.status == status_invalid_command) ask(Command::protocol_version, now, true);
      return;
    case Command::protocol_version:
    case Command::get_timestamp:
      return listener_.warning(said(words));
    case Command::trigger:
    case Command::start:
      sensor_ = States::Sensor::ready;
      begin_running();
      listener_.fault(said(words));
      return;
    default:
      throw LostError(words);
  }
}

void Reader::take_states(const States& states, MonotonicNs now) {
  const bool stopped = state_ == State::running && sensor_ == States::Sensor::running &&
                       states.sensor != States::Sensor::running;
  sensor_ = states.sensor;
  if (stopped) listener_.fault(why_not_running());
  if (state_ == State::running && sensor_ == States::Sensor::ready && settings_.start)
    ask(Command::start, now);
}

void Reader::take_timestamp(const Reply& reply, MonotonicNs now) {
  const bool known = clock_.uncertainty_ns(now).has_value();
  if (clock_.answered(*asked_ns_, now, timestamp_of(reply)) || !known) return;
  listener_.counts_anew();
  listener_.warning(said("its clock began again"));
}

void Reader::greeted(MonotonicNs now) {
  state_ = State::opening;
  health_messages_.reset();
  drops_.reset();
  health_.keeper().start(now);
  if (control_.up()) data_.keeper().start(now);
}

void Reader::channel_open(MonotonicNs now) {
  if (state_ != State::opening || !health_.up() || !data_.up()) return;
  ++opened_;
  control_.keeper().good();
  next_watch_ns_ = now + settings_.watch_ms * ns_per_ms;
  state_ = State::starting;
  if (sensor_ == States::Sensor::ready && settings_.start) return ask(Command::start, now);
  begin_running();
}

void Reader::begin_running() {
  if (state_ != State::starting) return;
  state_ = State::running;
  why_.clear();
}

// ---- health and data ----

void Reader::health_ready(MonotonicNs now) {
  health_.keeper().run(now, [&] {
    std::array<std::uint8_t, 65536> bytes;
    const std::size_t got = health_.keeper().read(bytes.data(), bytes.size(), now);
    health_messages_.receive(ByteView(bytes).first(got));
    while (auto message = health_messages_.next()) {
      const std::string rise = drops_.rise(health_of(*message));
      if (!rise.empty()) listener_.fault(said("data were lost: " + rise));
    }
  });
}

void Reader::data_ready(MonotonicNs now) {
  data_.keeper().run(now, [&] {
    if (!data_.up() || state_ == State::opening) return;  // the rest remains readable
    for (std::size_t taken = 0; taken < most_bytes_at_once;) {
      const bool begins = !receiver_.within_set();
      const auto room = receiver_.room();
      const std::size_t got =
          data_.keeper().read(room.data(), std::min(room.size(), most_bytes_at_once), now);
      if (got == 0) break;
      if (begins) first_byte_ns_ = now;
      taken += got;
      stalled_ns_ = now + settings_.stall_ms * ns_per_ms;
      receiver_.received(got);
      while (auto set = receiver_.next()) {
        ++sets_;
        listener_.data_set(std::move(*set), first_byte_ns_, now);
        first_byte_ns_ = now;
      }
      if (!data_.up()) return;  // lost in the handler
    }
    if (!receiver_.within_set()) stalled_ns_.reset();
  });
}

// ---- time ----

std::optional<MonotonicNs> Reader::deadline() const {
  std::optional<MonotonicNs> first;
  for (const auto& due : {control_.keeper().deadline(), health_.keeper().deadline(),
                          data_.keeper().deadline(), due_ns_, next_watch_ns_, stalled_ns_})
    if (due && (!first || *due < *first)) first = due;
  return first;
}

void Reader::on_deadline(MonotonicNs now) {
  const auto over = [now](const std::optional<MonotonicNs>& due) { return due && now >= *due; };
  for (Link* link : {&control_, &health_, &data_})
    if (link->keeper().on_deadline(now)) return;
  if (over(due_ns_))
    return control_.keeper().lose(
        fmt::format("no answer to {} within {} ms", name_of(questions_.front().command), settings_.answer_ms),
        now);
  if (over(stalled_ns_))
    return control_.keeper().lose(
        fmt::format("a data set stopped in its middle for {} ms", settings_.stall_ms), now);
  if (over(next_watch_ns_)) watch(now);
}

void Reader::watch(MonotonicNs now) {
  next_watch_ns_ = now + settings_.watch_ms * ns_per_ms;
  control_.keeper().run(now, [&] {
    for (const Command c : {Command::get_states, Command::get_loaded_job, Command::get_timestamp})
      ask(c, now);
  });
}

std::string Reader::describe() const {
  if (control_.keeper().state() == LinkState::closed) return said(control_.keeper().describe());
  if (!control_.up() || state_ != State::running) return said("connecting");
  const char* doing = sensor_ == States::Sensor::running    ? "running"
                      : sensor_ == States::Sensor::conflict ? "in conflict"
                                                            : "stopped";
  return said(fmt::format("{}, protocol {}.{}, job {}{}; {} data sets, opened {} times{}", doing,
                          version_.major, version_.minor, job_ ? job_->name : "none",
                          job_ && job_->modified ? " (modified)" : "", sets_, opened_,
                          receiver_.within_set() ? ", receiving" : ""));
}

}  // namespace datum::gocator
