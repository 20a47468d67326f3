#include "drivers/ipp/ipp_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace datum {
namespace {

constexpr MonotonicNs first_back_off_ns = 250 * ns_per_ms, last_back_off_ns = 8000 * ns_per_ms;
constexpr MonotonicNs connect_timeout_ns = 3000 * ns_per_ms;

}  // namespace

IppReader::IppReader(const CmmSettings& settings, std::unique_ptr<Port> port)
    : settings_(settings), port_(std::move(port)), client_(settings), back_off_ns_(first_back_off_ns) {}

template <class Act>
void IppReader::guarded(MonotonicNs now, Act act) {
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

void IppReader::start(MonotonicNs now) {
  if (state_ != State::closed && state_ != State::refused) return;
  back_off_ns_ = first_back_off_ns;
  open(now);
}

void IppReader::open(MonotonicNs now) {
  guarded(now, [&] {
    port_->open();
    unsent_.clear();
    if (port_->connected()) return opened(now);
    state_ = State::connecting;
    deadline_ = now + connect_timeout_ns;
  });
}

void IppReader::opened(MonotonicNs now) {
  ++opened_;
  state_ = State::open;
  deadline_.reset();
  client_.opened(now);
  attend(now);
}

// The link is gone: reopened later and later, until it has given a good position.
void IppReader::lose(const std::string& why, MonotonicNs now) {
  port_->close();
  state_ = State::closed;
  deadline_ = now + back_off_ns_;
  back_off_ns_ = std::min(2 * back_off_ns_, last_back_off_ns);
  link_down(why, now);
}

void IppReader::link_down(const std::string& why, MonotonicNs now) {
  why_ = why;
  if (latest_.state == ProbeState::link_down && latest_.detail == why) return;  // told already
  latest_ = ProbePoint{};
  latest_.state = ProbeState::link_down;
  latest_.detail = why;
  latest_.first_byte_ns = latest_.last_byte_ns = now;
  if (handler_) handler_(latest_, now);
}

void IppReader::on_ready(MonotonicNs now) {
  if (!port_->is_open()) return;
  guarded(now, [&] {
    if (state_ == State::connecting && port_->connected()) opened(now);
    receive(now);  // a connect that failed shows here
    attend(now);
  });
}

void IppReader::receive(MonotonicNs now) {
  if (!port_->is_open()) return;
  std::array<std::uint8_t, 4096> bytes;
  // One read per wake-up: a babbling server can't starve the loop.
  const std::size_t got = port_->read(bytes.data(), bytes.size());
  if (got > 0 && state_ == State::open) client_.receive(bytes.data(), got, now);
}

void IppReader::attend(MonotonicNs now) {
  if (state_ != State::open) return;
  unsent_ += client_.take_output(now);
  if (!unsent_.empty())
    unsent_.erase(0, port_->write(reinterpret_cast<const std::uint8_t*>(unsent_.data()), unsent_.size()));
  deliver(now);
  if (state_ == State::open && !client_.lost().empty()) lose(port_->describe() + ": " + client_.lost(), now);
}

void IppReader::deliver(MonotonicNs now) {
  while (auto sample = client_.next()) {
    ++samples_;
    if (sample->state == ProbeState::ok)
      back_off_ns_ = first_back_off_ns;
    else
      ++faults_;
    latest_ = std::move(*sample);
    if (handler_) handler_(latest_, now);
  }
  while (auto touch = client_.next_touch())
    if (touch_handler_) touch_handler_(*touch, now);
}

void IppReader::poll_soon(MonotonicNs now) {
  if (state_ != State::open) return;
  client_.poll_soon(now);
  guarded(now, [&] { unsent_ += client_.take_output(now); });
}

std::optional<MonotonicNs> IppReader::deadline() const {
  return state_ == State::open ? client_.deadline() : deadline_;
}

void IppReader::on_deadline(MonotonicNs now) {
  const auto due = deadline();
  if (!due || now < *due) return;
  switch (state_) {
    case State::closed:
      return open(now);
    case State::connecting:
      return lose(port_->describe() + ": can't connect: no answer", now);
    case State::open:
      return guarded(now, [&] {
        client_.on_deadline(now);
        attend(now);
      });
    case State::refused:
      return;
  }
}

ProbePoint IppReader::latest(MonotonicNs now) const {
  ProbePoint point = latest_;
  const MonotonicNs age = now - point.last_byte_ns;
  if (point.state != ProbeState::ok || age <= settings_.max_age_ms * ns_per_ms) return point;
  point.state = ProbeState::stale;
  point.detail = fmt::format("last heard {} ms ago; allowed: {} ms", age / ns_per_ms, settings_.max_age_ms);
  return point;
}

std::string IppReader::describe() const {
  const char* state = state_ == State::closed       ? "closed, to be reopened"
                      : state_ == State::connecting ? "connecting"
                      : state_ == State::refused    ? "refused"
                                                    : "open";
  std::string text = fmt::format("cmm {} on {}: {}", settings_.preset, port_->describe(), state);
  if (state_ == State::closed || state_ == State::refused) return why_.empty() ? text : text + ": " + why_;
  text += fmt::format("; {} samples, {} faults, opened {} times", samples_, faults_, opened_);
  if (state_ == State::open) text += "; " + client_.describe();
  if (latest_.state != ProbeState::ok) text += fmt::format("; {} {}", name_of(latest_.state), latest_.detail);
  return text;
}

}  // namespace datum
