#include "drivers/cmm/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace datum {
namespace {

constexpr MonotonicNs first_back_off_ns = 250 * ns_per_ms, last_back_off_ns = 8000 * ns_per_ms;
constexpr MonotonicNs connect_timeout_ns = 3000 * ns_per_ms;

}  // namespace

CmmReader::CmmReader(const CmmSettings& settings, std::unique_ptr<Port> port)
    : settings_(settings), port_(std::move(port)), codec_(settings), back_off_ns_(first_back_off_ns) {}

template <class Act>
void CmmReader::guarded(MonotonicNs now, Act act) {
  try {
    act();
  } catch (const RefusedError& error) {
    port_->close();
    state_ = State::refused;
    deadline_.reset();
    link_down(error.what(), now);
  } catch (const std::runtime_error& error) {
    lose(error.what(), now);
  }
}

void CmmReader::start(MonotonicNs now) {
  if (state_ != State::closed && state_ != State::refused) return;
  back_off_ns_ = first_back_off_ns;
  open(now);
}

void CmmReader::open(MonotonicNs now) {
  guarded(now, [&] {
    port_->open();
    unsent_.clear();
    if (port_->connected()) return opened(now);
    state_ = State::connecting;
    deadline_ = now + connect_timeout_ns;
  });
}

void CmmReader::opened(MonotonicNs now) {
  ++opened_;
  codec_.listen(wants_touches_);
  codec_.reset();
  state_ = State::waiting;
  deadline_.reset();
  if (polled()) begin_round(now);
}

// The link is gone: reopened later and later, until it has given a good position.
void CmmReader::lose(const std::string& why, MonotonicNs now) {
  port_->close();
  state_ = State::closed;
  deadline_ = now + back_off_ns_;
  back_off_ns_ = std::min(2 * back_off_ns_, last_back_off_ns);
  link_down(why, now);
}

void CmmReader::link_down(const std::string& why, MonotonicNs now) {
  why_ = why;
  if (latest_.state == ProbeState::link_down && latest_.detail == why) return;  // told already
  latest_ = ProbePoint{};
  latest_.state = ProbeState::link_down;
  latest_.detail = why;
  latest_.first_byte_ns = latest_.last_byte_ns = now;
  if (handler_) handler_(latest_, now);
}

void CmmReader::listen(bool on, MonotonicNs now) {
  on = on && settings_.touch == TouchRule::latched;
  if (on == wants_touches_) return;
  wants_touches_ = on;
  if (state_ != State::waiting || grbl()) return;
  if (!polled()) return begin_round(now);
  // The rest of a touch must not be taken for the answer to a poll.
  codec_.listen(false);
  state_ = State::draining;
  deadline_ = now + settings_.poll.timeout_ms * ns_per_ms;
}

// Polls, or listens where touches are wanted or the device speaks by itself.
void CmmReader::begin_round(MonotonicNs now) {
  codec_.listen(wants_touches_);
  if (!polled()) {
    state_ = State::waiting;
    deadline_.reset();
    return;
  }
  state_ = State::polling;
  deadline_ = now + settings_.poll.timeout_ms * ns_per_ms;
  next_poll_ns_ = now + settings_.poll.period_ms * ns_per_ms;
  codec_.begin_round(now);
  asked_ = 1;
  send((codec_.needs_setup() ? settings_.setup : "") + settings_.poll.strings[0]);
}

void CmmReader::ask_next_axis() {
  if (state_ != State::polling || !codec_.in_round()) return;
  if (codec_.answers() == asked_ && asked_ < settings_.poll.strings.size())
    send(settings_.poll.strings[asked_++]);
}

void CmmReader::send(const std::string& bytes) {
  unsent_ += bytes;
  flush();
}

void CmmReader::flush() {
  if (unsent_.empty()) return;
  unsent_.erase(0, port_->write(reinterpret_cast<const std::uint8_t*>(unsent_.data()), unsent_.size()));
}

void CmmReader::on_ready(MonotonicNs now) {
  if (!port_->is_open()) return;
  guarded(now, [&] {
    if (state_ == State::connecting && port_->connected()) opened(now);
    receive(now);  // a connect that failed shows here
    flush();
    ask_next_axis();
  });
}

void CmmReader::receive(MonotonicNs now) {
  std::array<std::uint8_t, 512> bytes;
  // One read per wake-up: a babbling device can't starve the loop.
  const std::size_t got = port_->read(bytes.data(), bytes.size());
  if (got == 0) return;
  codec_.receive(bytes.data(), got, now);
  deliver(now);
}

void CmmReader::deliver(MonotonicNs now) {
  while (auto sample = codec_.next()) {
    ++samples_;
    if (sample->state == ProbeState::ok)
      back_off_ns_ = first_back_off_ns;
    else
      ++faults_;
    latest_ = std::move(*sample);
    if (handler_) handler_(latest_, now);
  }
  while (auto touch = codec_.next_touch())
    if (touch_handler_) touch_handler_(*touch, now);
  if (state_ != State::polling || codec_.in_round()) return;
  state_ = State::waiting;
  deadline_ = std::max(next_poll_ns_, now);
}

void CmmReader::poll_soon(MonotonicNs now) {
  if (!polled()) return;
  next_poll_ns_ = now;
  if (state_ == State::waiting) guarded(now, [&] { begin_round(now); });
}

void CmmReader::on_deadline(MonotonicNs now) {
  if (!deadline_ || now < *deadline_) return;
  switch (state_) {
    case State::closed:
      return open(now);
    case State::connecting:
      return lose(port_->describe() + ": can't connect: no answer", now);
    case State::waiting:
    case State::draining:
      return begin_round(now);
    case State::polling:
      codec_.give_up(now);
      deliver(now);
      // A late answer must not be taken for the answer to the next poll.
      state_ = State::draining;
      deadline_ = now + settings_.poll.timeout_ms * ns_per_ms;
      return;
    case State::refused:
      return;
  }
}

ProbePoint CmmReader::latest(MonotonicNs now) const {
  ProbePoint point = latest_;
  const MonotonicNs age = now - point.last_byte_ns;
  if (point.state != ProbeState::ok || age <= settings_.max_age_ms * ns_per_ms) return point;
  point.state = ProbeState::stale;
  point.detail = fmt::format("last heard {} ms ago; allowed: {} ms", age / ns_per_ms, settings_.max_age_ms);
  return point;
}

std::string CmmReader::describe() const {
  const char* state = state_ == State::closed       ? "closed, to be reopened"
                      : state_ == State::connecting ? "connecting"
                      : state_ == State::refused    ? "refused"
                                                    : "open";
  std::string text = fmt::format("cmm {} on {}: {}", settings_.preset, port_->describe(), state);
  if (state_ == State::closed || state_ == State::refused) return why_.empty() ? text : text + ": " + why_;
  text += fmt::format("; {} samples, {} faults, opened {} times", samples_, faults_, opened_);
  if (latest_.state != ProbeState::ok) text += fmt::format("; {} {}", name_of(latest_.state), latest_.detail);
  return text;
}

}  // namespace datum
