#include "drivers/cmm/codec.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "drivers/cmm/machine_position.h"

namespace datum {
CmmCodec::CmmCodec(const CmmSettings& settings)
    : settings_((check(settings), settings)),
      framer_(settings.framing, settings.integrity),
      reader_(settings),
      watch_(settings.watch) {
  reset();
}

void CmmCodec::reset() {
  framer_.reset(!polled());
  reader_.grbl().reset();
  watch_.reset();
  group_ = Group{std::vector<std::optional<double>>(settings_.axes.size())};
  samples_.clear();
  touches_.clear();
  in_round_ = !polled();
  misaligned_ = true;
  last_line_ns_ = 0;
  answers_ = 0;
  poll_sent_ns_ = 0;
  sequence_ = 0;
}

void CmmCodec::listen(bool on) {
  if (settings_.layout == Layout::grbl) return;
  listening_ = on;
  group_ = Group{std::vector<std::optional<double>>(settings_.axes.size())};
  in_round_ = !polled();
  misaligned_ = true;
  poll_sent_ns_ = 0;
}

void CmmCodec::begin_round(MonotonicNs poll_sent) {
  group_ = Group{std::vector<std::optional<double>>(settings_.axes.size())};
  in_round_ = true;
  answers_ = 0;
  poll_sent_ns_ = poll_sent;
  reader_.grbl().round();
}

void CmmCodec::receive(const std::uint8_t* bytes, std::size_t size, MonotonicNs at) {
  for (std::size_t i = 0; i < size; ++i) {
    if (take_acknowledgement(bytes[i], at)) continue;
    if (const auto line = framer_.push(bytes[i], at)) take(*line);
  }
}

void CmmCodec::pause(MonotonicNs now) {
  if (const auto line = framer_.pause(now)) take(*line);
}

bool CmmCodec::take_acknowledgement(std::uint8_t byte, MonotonicNs at) {
  if (!in_round_ || !polled() || !framer_.between_lines()) return false;
  const char c = static_cast<char>(settings_.framing.mask_bit7 ? byte & 0x7f : byte);
  if (settings_.poll.accepted == c) {
    ++answers_;
    return true;
  }
  if (settings_.poll.rejected != c) return false;
  emit(ProbeState::device_error, fmt::format("the device rejects the poll (0x{:02X})", byte), at, at);
  return true;
}

std::optional<ProbePoint> CmmCodec::next() {
  if (samples_.empty()) return std::nullopt;
  ProbePoint sample = std::move(samples_.front());
  samples_.pop_front();
  return sample;
}

std::optional<ProbePoint> CmmCodec::next_touch() {
  if (touches_.empty()) return std::nullopt;
  ProbePoint touch = std::move(touches_.front());
  touches_.pop_front();
  return touch;
}

void CmmCodec::take(const Line& line) {
  const LineReading reading = reader_.read(line);
  if (reading.ignored) return;
  if (reading.latched) return add_latched(line, reading);
  const bool asked_for = in_round_ && line.first_byte_ns >= poll_sent_ns_;
  if (!asked_for && reading.state != ProbeState::not_referenced) {
    ++unsolicited_;
    last_line_ns_ = line.last_byte_ns;
    return;
  }
  if (reading.state == ProbeState::ok) {
    add(line, reading);
  } else {
    const MonotonicNs first = group_.filled > 0 ? group_.first_byte_ns : line.first_byte_ns;
    emit(reading.state, reading.detail, first, line.last_byte_ns);
    misaligned_ = true;
  }
  last_line_ns_ = line.last_byte_ns;
}

// In a free stream of one line per axis, the first label or a pause marks the start of a position.
bool CmmCodec::begins_group(const Line& line, const LineReading& reading) {
  if (polled() || settings_.grouping == Grouping::single_line || settings_.axes.size() == 1) return true;
  const bool by_label = settings_.grouping == Grouping::by_label;
  const bool paused = line.first_byte_ns - last_line_ns_ > settings_.group_window_ms * ns_per_ms;
  const bool first = by_label ? reading.values[0].first == 0 : paused;
  if (!first && !misaligned_) {
    const std::string why = by_label ? "a position begins with axis " + settings_.axes[0].label
                                     : "no pause before the axes of a position";
    emit(ProbeState::partial, why + ": " + in_quotes(line.text), line.first_byte_ns, line.last_byte_ns);
  }
  misaligned_ = !first;
  return first;
}

std::string CmmCodec::wrong_answer(const LineReading& reading) const {
  if (settings_.poll.strings.size() < 2 || settings_.poll.accepted) return "";
  const std::size_t axis = reading.values[0].first;
  if (answers_ >= settings_.axes.size())
    return fmt::format("an answer for axis {} after all that were asked for", settings_.axes[axis].label);
  if (axis == answers_) return "";
  return fmt::format("an answer for axis {} where axis {} was asked", settings_.axes[axis].label,
                     settings_.axes[answers_].label);
}

void CmmCodec::add(const Line& line, const LineReading& reading) {
  if (reading.values.empty())
    return emit(ProbeState::malformed, "no value: " + in_quotes(line.text), line.first_byte_ns,
                line.last_byte_ns);
  if (const std::string wrong = wrong_answer(reading); !wrong.empty())
    return emit(ProbeState::malformed, wrong + ": " + in_quotes(line.text), line.first_byte_ns,
                line.last_byte_ns);
  const bool by_order = settings_.grouping == Grouping::by_order;
  bool ended = line.last_byte_ns - group_.first_byte_ns > settings_.group_window_ms * ns_per_ms;
  for (const auto& [axis, value] : reading.values)
    ended = ended || (!by_order && group_.values[axis].has_value());
  if (group_.filled > 0 && ended) {
    emit(ProbeState::partial, missing_axes(), group_.first_byte_ns, group_.last_byte_ns);
    if (polled()) return;  // the round has failed; the line that showed it belongs to no other
  }
  if (group_.filled == 0 && !begins_group(line, reading)) return;
  if (group_.filled == 0) group_.first_byte_ns = line.first_byte_ns;
  group_.last_byte_ns = line.last_byte_ns;
  ++answers_;
  for (const auto& [axis, value] : reading.values) {
    group_.values[by_order ? group_.filled : axis] = value;
    ++group_.filled;
  }
  if (group_.filled == settings_.axes.size()) return finish_group();
  if (settings_.grouping == Grouping::single_line)
    emit(ProbeState::partial, missing_axes() + ": " + in_quotes(line.text), line.first_byte_ns,
         line.last_byte_ns);
}

void CmmCodec::add_latched(const Line& line, const LineReading& reading) {
  ProbePoint touch;
  touch.state = reading.state;
  touch.detail = reading.detail;
  if (reading.state == ProbeState::ok) {
    std::vector<std::optional<double>> values(settings_.axes.size());
    for (const auto& [axis, value] : reading.values) values[axis] = value;
    touch = machine_position(settings_, values);
  }
  touch.first_byte_ns = line.first_byte_ns;
  touch.last_byte_ns = line.last_byte_ns;
  touches_.push_back(std::move(touch));
}

void CmmCodec::finish_group() {
  ProbePoint at = machine_position(settings_, group_.values);
  at.first_byte_ns = group_.first_byte_ns;
  at.last_byte_ns = group_.last_byte_ns;
  watch_.look_at(at);
  emit(at.state, at.detail, group_.first_byte_ns, group_.last_byte_ns, at);
}

std::string CmmCodec::missing_axes() const {
  std::string names;
  for (std::size_t i = 0; i < group_.values.size(); ++i)
    if (!group_.values[i]) names += (names.empty() ? "" : ", ") + settings_.axes[i].label;
  return fmt::format("{} of {} axes came, without {}", group_.filled, settings_.axes.size(), names);
}

void CmmCodec::give_up(MonotonicNs now) {
  if (!in_round_ || !polled()) return;
  reader_.grbl().forget_offset();  // the missing report may have carried a new one
  if (group_.filled > 0)
    emit(ProbeState::partial, missing_axes(), group_.first_byte_ns, now);
  else
    emit(ProbeState::stale, fmt::format("no answer to the poll within {} ms", settings_.poll.timeout_ms), now,
         now);
}

void CmmCodec::emit(ProbeState state, const std::string& detail, MonotonicNs first, MonotonicNs last,
                    const ProbePoint& at) {
  ProbePoint sample;
  if (state == ProbeState::ok || state == ProbeState::out_of_range) {
    sample.position_mm = at.position_mm;
    sample.head_deg = at.head_deg;
  }
  sample.state = state;
  sample.detail = detail;
  sample.first_byte_ns = first;
  sample.last_byte_ns = last;
  sample.poll_sent_ns = poll_sent_ns_;
  sample.sequence = ++sequence_;
  (listening_ ? touches_ : samples_).push_back(std::move(sample));
  group_ = Group{std::vector<std::optional<double>>(settings_.axes.size())};
  if (polled()) in_round_ = false;
}

}  // namespace datum
