// Interpretation of the server's lines for the session: answers, positions, touches, changes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "drivers/cmm/machine_position.h"
#include "drivers/ipp/ipp_client.h"

namespace datum {
namespace {

// Limits of one answer, together a megabyte: lines of a status are short, a position has one.
constexpr std::size_t most_lines = 256, longest_line = 4096;
constexpr std::size_t most_pending = 64;  // touches and reports between two readings of the context

std::optional<std::string> any_word(const std::vector<IppValue>& values,
                                    std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto word = word_of(values, name)) return word;
  return std::nullopt;
}

std::string shortened(const std::string& text) {
  return text.size() > 80 ? text.substr(0, 80) + "..." : text;
}

}  // namespace

void IppClient::receive(const std::uint8_t* bytes, std::size_t size, MonotonicNs now) {
  for (std::size_t i = 0; i < size && lost_.empty(); ++i)
    if (const auto line = framer_.push(bytes[i], now)) take(*line, now);
}

void IppClient::take(const IppLine& line, MonotonicNs now) {
  if (line.fault != IppFault::none) {
    ++strays_;
    const std::string why = fmt::format("the server sent {}", name_of(line.fault));
    note(why);
    // It may be about another tool: the current reading is repeated.
    disturbed_ = true;
    context_why_ = why;
    return emit(ProbeState::malformed, why, now);
  }
  const IppChannel::Delivery d = channel_.receive(line);
  using Is = IppChannel::Delivery::Is;
  switch (d.is) {
    case Is::acknowledged:
      return;
    case Is::data:
    case Is::report:
      return take_data(d.transaction, line);
    case Is::error:
      if (Answer* answer = answer_of(d.transaction)) answer->stopped = true;
      return take_error(read_ipp_error(line.text), &d.transaction, now);
    case Is::complete:
      if (d.transaction.purpose == watchdog)
        return watchdog_answered(std::exchange(watchdog_answer_, {}), now);
      if (d.transaction.purpose == abortion) return aborted(now);
      if (running() && script_[step_] == d.transaction.purpose) finish_step(d.transaction, now);
      return;
    case Is::unsolicited:
      return take_unsolicited(line, now);
    case Is::abandoned:
      return;
    case Is::stray:
      ++strays_;
      if (line.mark == IppMark::error) take_error(read_ipp_error(line.text), nullptr, now);
      return;
  }
}

/// Buffer of a running transaction's answer; null: the answer is not needed.
IppClient::Answer* IppClient::answer_of(const IppTransaction& t) {
  if (t.purpose == watchdog) return &watchdog_answer_;
  return running() && script_[step_] == t.purpose ? &answer_ : nullptr;
}

void IppClient::take_data(const IppTransaction& t, const IppLine& line) {
  if (t.daemon) {
    const IppReading reading = read_ipp_values(line.text);
    if (reading.why.empty()) hold(point_of(reading.values), false, line.first_byte_ns, line.last_byte_ns, 0);
    return;
  }
  if (!answer_of(t)) return;
  Answer& answer = *answer_of(t);
  if (answer.data.empty()) answer.first_byte_ns = line.first_byte_ns;
  answer.last_byte_ns = line.last_byte_ns;
  if (answer.data.size() >= most_lines || line.text.size() > longest_line)
    answer.too_long = true;
  else
    answer.data.push_back(line.text);
}

void IppClient::take_unsolicited(const IppLine& line, MonotonicNs now) {
  if (line.mark == IppMark::error) return take_error(read_ipp_error(line.text), nullptr, now);
  const IppReading reading = read_ipp_values(line.text);
  const std::string name = reading.values.empty() ? "" : reading.values.front().text;
  if (name == "PtMeas")
    return hold(touch_of(reading.values.front().arguments), true, line.first_byte_ns, line.last_byte_ns, 0);
  if (name == "KeyPress" || name == "GoTo") return;
  // ChangeTool, SetProp, and unknown ones.
  limits_.reset();
  abort_move("the machine said " + shortened(line.text), now);
  note("the machine says " + shortened(line.text));
  disturbed_ = true;
  context_why_ = "the machine said " + shortened(line.text) + "; it is being read back";
}

/// Fault of the answer; empty if none.
std::string IppClient::read(Step step, const Answer& answer, const IppTransaction& t) {
  if (step == extended_status) {
    extended_ = fmt::format("{}", fmt::join(answer.data, "; "));
    return "";
  }
  const bool silent = step == first_abort || step == first_clear || step == end_session ||
                      step == start_session || step == report_content || step == clear_errors ||
                      step == move_reports || step == demand || step == motion;
  if (silent) return "";
  if (answer.data.size() != 1) return fmt::format("{} data lines where one is due", answer.data.size());
  const IppReading reading = read_ipp_values(answer.data.front());
  if (!reading.why.empty()) return fmt::format("{} in '{}'", reading.why, shortened(answer.data.front()));
  const std::string unread = fmt::format("'{}' is none", shortened(answer.data.front()));
  std::optional<std::string> word;
  std::optional<double> flag;
  switch (step) {
    case version:
      word = any_word(reading.values, {"DMEVersion", "GetDMEVersion"});
      version_ = word.value_or("");
      return word ? "" : unread;
    case machine_class:
      word = any_word(reading.values, {"GetMachineClass", "MachineClass"});
      class_ = word.value_or("");
      return word ? "" : unread;
    case error_status:
      flag = number_of(reading.values, "ErrStatus");
      if (flag && *flag != 0) stopping_ = IppError{IppError::stopping, 514, "", "the error status stays set"};
      return flag ? "" : unread;
    case homed:
      flag = number_of(reading.values, "IsHomed");
      reading_.homed = flag && *flag == 1;
      return flag && (*flag == 0 || *flag == 1) ? "" : unread;
    case coordinate_system:
      word = any_word(reading.values, {"CoordSystem", "GetCoordSystem"});
      reading_.coordinate_system = word.value_or("");
      return word ? "" : unread;
    case tool:
      word = any_word(reading.values, {"Tool.Name", "Name"});
      reading_.tool = word.value_or("");
      return word ? "" : unread;
    case transformation:
      return read_transformation(reading.values);
    case position: {
      const ProbePoint point = point_of(reading.values);
      if (point.state == ProbeState::malformed) return point.detail;
      hold(point, false, answer.first_byte_ns, answer.last_byte_ns, t.sent_ns);
      return "";
    }
    default:
      return "";
  }
}

std::string IppClient::read_transformation(const std::vector<IppValue>& values) {
  std::vector<double> numbers;
  for (const char* name : {"GetCsyTransformation", "CsyTransformation"})
    if (const auto found = numbers_of(values, name)) numbers = *found;
  if (numbers.size() != 6) return fmt::format("{} numbers where six are due", numbers.size());
  if (!(numbers[3] >= 0 && numbers[3] <= 180))
    return fmt::format("theta = {}; allowed: 0 to 180", numbers[3]);
  std::array<double, 6> six;
  std::copy(numbers.begin(), numbers.end(), six.begin());
  reading_.transformation = IppTransformation::of(six);
  return "";
}

/// A touch is reported without the head's angles.
ProbePoint IppClient::touch_of(const std::vector<IppValue>& values) const {
  CmmSettings stage = settings_;
  std::erase_if(stage.axes, [](const AxisSettings& axis) { return axis.turns_head(); });
  return point_of(values, stage);
}

ProbePoint IppClient::point_of(const std::vector<IppValue>& values) const {
  return point_of(values, settings_);
}

ProbePoint IppClient::point_of(const std::vector<IppValue>& values, const CmmSettings& settings) {
  ProbePoint point;
  std::vector<std::optional<double>> shown;
  for (const AxisSettings& axis : settings.axes) {
    shown.push_back(number_of(values, axis.label));
    if (shown.back()) continue;
    point.state = ProbeState::malformed;
    point.detail = "no number " + axis.label + "(...)";
    return point;
  }
  point = machine_position(settings, shown);
  // 0 good to 100 bad; most servers do not report it.
  const auto quality = number_of(values, "Q");
  if (!quality || *quality == 0 || point.state != ProbeState::ok) return point;
  point.state = ProbeState::device_error;
  point.detail = fmt::format("the machine reports low quality: Q({}), 0 is good", *quality);
  return point;
}

void IppClient::hold(ProbePoint point, bool touch, MonotonicNs first, MonotonicNs last, MonotonicNs sent) {
  point.first_byte_ns = first;
  point.last_byte_ns = last;
  point.poll_sent_ns = sent;
  if (pending_.size() >= most_pending) {
    pending_.pop_front();
    covered_ -= covered_ > 0 ? 1 : 0;
    note("touches or reports come faster than tool and coordinate system can be read; the oldest is dropped");
  }
  pending_.push_back({std::move(point), touch, context_why_});
}

/// Tool, coordinate system, transformation and homing have been read: settles the pending positions before
/// them.
void IppClient::settle_context() {
  std::string why = reading_why_;
  const bool unreadable = !why.empty();
  if (why.empty()) why = refusal(reading_, settings_.ipp, confirmed_);
  if (why.empty() && disturbed_) why = "tool or coordinate system changed while they were read";
  context_ = reading_;
  if (!unreadable) {
    const std::string now_here = datum::describe(context_);
    if (now_here != noted_context_)
      note(noted_context_.empty() ? now_here : noted_context_ + " -> " + now_here);
    noted_context_ = now_here;
  }
  context_why_ = why;
  for (; covered_ > 0; --covered_) {
    Pending p = std::move(pending_.front());
    pending_.pop_front();
    const std::string first = why.empty() ? p.before : why;
    settle(std::move(p), unreadable ? ProbeState::malformed : ProbeState::not_referenced, first);
  }
}

/// Good where `why` is empty, but never better than its own state.
void IppClient::settle(Pending p, ProbeState state, const std::string& why) {
  if (!noted_context_.empty()) p.point.reference = noted_context_;
  if (!why.empty()) {
    p.point.state = state;
    p.point.detail = why;
  }
  deliver(std::move(p.point), p.touch);
}

void IppClient::settle_all(ProbeState state, const std::string& why) {
  covered_ = 0;
  while (!pending_.empty()) {
    Pending p = std::move(pending_.front());
    pending_.pop_front();
    settle(std::move(p), state, why);
  }
}

void IppClient::emit(ProbeState state, const std::string& detail, MonotonicNs now) {
  ProbePoint point;
  point.state = state;
  point.detail = detail;
  point.first_byte_ns = point.last_byte_ns = now;
  deliver(std::move(point), false);
}

void IppClient::deliver(ProbePoint point, bool touch) {
  if (point.state == ProbeState::ok) {
    recovered_ = false;
    last_note_.clear();
  }
  if (touch) {
    touches_.push_back(std::move(point));
    return;
  }
  point.sequence = ++sequence_;
  settled_ = point;
  samples_.push_back(std::move(point));
}

std::optional<ProbePoint> IppClient::next() {
  if (samples_.empty()) return std::nullopt;
  ProbePoint point = std::move(samples_.front());
  samples_.pop_front();
  return point;
}

std::optional<ProbePoint> IppClient::next_touch() {
  if (touches_.empty()) return std::nullopt;
  ProbePoint point = std::move(touches_.front());
  touches_.pop_front();
  return point;
}

}  // namespace datum
