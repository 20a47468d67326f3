#include "drivers/cmm/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace datum {
CmmReader::CmmReader(const CmmSettings& settings, std::unique_ptr<Port> port)
    : settings_(settings),
      codec_(settings),
      link_(
          std::move(port), {}, [this](MonotonicNs now) { opened(now); },
          [this](const std::string& why, MonotonicNs now) { link_down(why, now); }) {
  if (!settings_.grbl_motion) return;
  mover_.emplace(settings_, GrblMover::Handlers{[this](std::string_view bytes) { link_.send(bytes); },
                                                [this](MonotonicNs now) { poll_soon(now); },
                                                [this](const std::string& text) { notes_.push_back(text); }});
}

void CmmReader::close(MonotonicNs now) {
  if (mover_) link_.run(now, [&] { mover_->stop("datumd ends", now); });
}

/// Before the codec hears them: a report's state belongs to the position that the codec makes of it.
void CmmReader::let_mover_hear(const std::uint8_t* bytes, std::size_t size, MonotonicNs now) {
  for (std::size_t i = 0; i < size; ++i) {
    const char byte = static_cast<char>(bytes[i]);
    if (byte != '\n' && byte != '\r') {
      if (mover_line_.size() < settings_.framing.max_length) mover_line_ += byte;
      continue;
    }
    if (!mover_line_.empty()) mover_->heard(std::exchange(mover_line_, ""), now);
  }
}

void CmmReader::start(MonotonicNs now) { link_.start(now); }

void CmmReader::opened(MonotonicNs now) {
  codec_.listen(wants_touches_);
  codec_.reset();
  state_ = State::waiting;
  deadline_.reset();
  mover_line_.clear();
  if (mover_) mover_->opened();
  if (polled()) begin_round(now);
}

void CmmReader::link_down(const std::string& why, MonotonicNs now) {
  if (mover_) mover_->lost(why, now);
  if (latest_.state == ProbeState::link_down && latest_.detail == why) return;  // already reported
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
  if (!waiting() || grbl()) return;
  if (!polled()) return begin_round(now);
  // The rest of a touch must not be parsed as the answer to a poll.
  codec_.listen(false);
  state_ = State::draining;
  deadline_ = now + settings_.poll.timeout_ms * ns_per_ms;
}

// Polls, or listens for touches or a free-running device.
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
  // A command of the mover's is not interrupted: GRBL takes no $ then.
  const bool sets_up = codec_.needs_setup() && !(mover_ && mover_->moving());
  if (sets_up && mover_)
    mover_->reader_sent(
        static_cast<std::size_t>(std::count(settings_.setup.begin(), settings_.setup.end(), '\n')));
  link_.send((sets_up ? settings_.setup : "") + settings_.poll.strings[0]);
}

void CmmReader::ask_next_axis() {
  if (!link_.is_open() || state_ != State::polling || !codec_.in_round()) return;
  if (codec_.answers() == asked_ && asked_ < settings_.poll.strings.size())
    link_.send(settings_.poll.strings[asked_++]);
}

void CmmReader::on_ready(MonotonicNs now) {
  link_.run(now, [&] {
    receive(now);  // reports a failed connect
    link_.flush();
    ask_next_axis();
  });
}

void CmmReader::receive(MonotonicNs now) {
  std::array<std::uint8_t, 512> bytes;
  // One read per wake-up: a continuous sender must not starve the loop.
  const std::size_t got = link_.read(bytes.data(), bytes.size(), now);
  if (got == 0) return;
  if (mover_) let_mover_hear(bytes.data(), got, now);
  codec_.receive(bytes.data(), got, now);
  deliver(now);
}

void CmmReader::deliver(MonotonicNs now) {
  while (auto sample = codec_.next()) {
    ++samples_;
    sampled_ns_ = now;
    if (sample->state == ProbeState::ok)
      link_.good();
    else
      ++faults_;
    latest_ = std::move(*sample);
    if (mover_) mover_->position(latest_, now);
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
  if (waiting()) link_.run(now, [&] { begin_round(now); });
}

std::optional<MonotonicNs> CmmReader::deadline() const {
  std::optional<MonotonicNs> next = link_.deadline();
  if (!link_.is_open()) return next;
  for (const auto& due : {deadline_, codec_.ends_by_pause(), mover_ ? mover_->deadline() : std::nullopt})
    if (due) next = next ? std::min(*next, *due) : *due;
  return next;
}

// The current line is complete: nothing followed it.
void CmmReader::end_line(MonotonicNs now) {
  link_.run(now, [&] {
    codec_.pause(now);
    deliver(now);
    ask_next_axis();
  });
}

void CmmReader::on_deadline(MonotonicNs now) {
  if (link_.on_deadline(now)) return;
  if (mover_) link_.run(now, [&] { mover_->on_deadline(now); });
  if (link_.is_open() && codec_.ends_by_pause().value_or(now + 1) <= now) end_line(now);
  if (!link_.is_open() || !deadline_ || now < *deadline_) return;
  if (state_ != State::polling) return link_.run(now, [&] { begin_round(now); });
  codec_.give_up(now);
  deliver(now);
  // A late answer must not be parsed as the answer to the next poll.
  state_ = State::draining;
  deadline_ = now + settings_.poll.timeout_ms * ns_per_ms;
}

ProbePoint CmmReader::latest(MonotonicNs now) const {
  ProbePoint point = latest_;
  const MonotonicNs age = now - point.last_byte_ns;
  if (point.state != ProbeState::ok || age <= settings_.max_age_ms * ns_per_ms) return point;
  point.state = ProbeState::stale;
  point.detail = fmt::format("last heard {} ms ago; allowed: {} ms", age / ns_per_ms, settings_.max_age_ms);
  return point;
}

std::optional<LinkReport> CmmReader::report(MonotonicNs now) const {
  LinkReport report = report_of(link_, "cmm", settings_.preset);
  if (samples_ > 0) report.delivered_ns = sampled_ns_;
  const ProbePoint point = latest(now);
  if (link_.is_open() && point.state != ProbeState::ok)
    report.trouble = fmt::format("{} {}", name_of(point.state), point.detail);
  return report;
}

std::string CmmReader::describe() const {
  std::string text =
      fmt::format("cmm {} on {}: {}", settings_.preset, link_.port().describe(), link_.describe());
  if (!link_.port().is_open()) return text;
  text += fmt::format("; {} samples, {} faults, opened {} times", samples_, faults_, link_.record().opened);
  if (latest_.state != ProbeState::ok) text += fmt::format("; {} {}", name_of(latest_.state), latest_.detail);
  return text;
}

}  // namespace datum
