#include "drivers/cmm/grbl_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/cmm/line_framer.h"

namespace datum {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view take_field(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return field;
}

// 5 s at the preset's rate.
constexpr unsigned rounds_of_a_unit = 25;

}  // namespace

void GrblReader::reset() {
  offset_.reset();
  inches_.reset();
  one_by_one_.reset();
  listing_ = confirmed_ = false;
}

void GrblReader::confirm_referenced() {
  lost_.clear();
  confirmed_ = true;
}

bool GrblReader::wants_unit() const {
  const bool old = rounds_ > 0 && rounds_ % rounds_of_a_unit == 0;
  return !inches_ || old || check_report_unit().state != ProbeState::ok;
}

LineReading GrblReader::read(std::string_view line) {
  LineReading reading = starts_with(line, "<") ? read_report(line) : read_push(line);
  if (reading.state == ProbeState::malformed) forget_offset();
  return reading;
}

LineReading GrblReader::read_push(std::string_view line) {
  if (starts_with(line, "Grbl ")) {
    reset();
    lost_ = fmt::format("the controller was reset ({}); home it", in_quotes(line));
    return fault(ProbeState::not_referenced, lost_);
  }
  if (starts_with(line, "ALARM:")) {
    lost_ = fmt::format("{} was raised; home the machine", line);
    return fault(ProbeState::not_referenced, lost_);
  }
  if (starts_with(line, "[PRB:") && !listing_) return read_probe(line);
  if (line == "ok" || starts_with(line, "error:")) listing_ = false;
  if (starts_with(line, "[TLO:")) listing_ = true;
  if (starts_with(line, "[OPT:") && line.back() == ']') take_options(line);
  if (line == "ok" || starts_with(line, "error:") || (starts_with(line, "[") && line.back() == ']'))
    return ignored_line();
  if (starts_with(line, "$")) return read_setting(line);
  return fault(ProbeState::malformed, "not a line of GRBL 1.1: " + in_quotes(line));
}

// "[PRB:1.000,2.000,3.000:1]", machine coordinates in the reports' unit; ":0" without contact.
LineReading GrblReader::read_probe(std::string_view line) const {
  constexpr std::size_t head = 5, tail = 3;
  const std::string_view end = line.substr(line.size() - std::min(tail, line.size()));
  LineReading reading = check_report_unit();
  if (line.size() < head + tail || (end != ":1]" && end != ":0]"))
    reading = fault(ProbeState::malformed, "no result of a probe: " + in_quotes(line));
  else if (end == ":0]")
    reading = fault(ProbeState::device_error, "the probe met nothing: " + in_quotes(line));
  else if (!lost_.empty())
    reading = fault(ProbeState::not_referenced, lost_ + ": " + in_quotes(line));
  else if (reading.state == ProbeState::ok)
    reading = read_triple(line.substr(head, line.size() - head - tail), line);
  reading.latched = true;
  return reading;
}

LineReading GrblReader::read_setting(std::string_view line) {
  if (line == "$13=0" || line == "$13=1") {
    inches_ = line == "$13=1";
    rounds_ = 0;
  }
  // Without a homing cycle GRBL starts in Idle: its banner may have been missed.
  if (line == "$22=0" && !confirmed_ && lost_.empty())
    lost_ =
        "the controller has no homing cycle ($22=0): it is not known whether the machine is referenced; "
        "DIAGnostic:POSition:REFerenced states it";
  if (line.find('=') == std::string_view::npos)
    return fault(ProbeState::malformed, "not a setting of GRBL 1.1: " + in_quotes(line));
  return ignored_line();
}

// "[OPT:VHL,15,128]": one letter per option of the controller's build.
void GrblReader::take_options(std::string_view line) {
  const std::string_view letters = line.substr(5, line.find(',') - 5);
  one_by_one_ = letters.find('H') != std::string_view::npos;
}

// This state occurs only in a homing cycle, which ends in Alarm where it fails. No report states the homed
// axes; all are homed where the controller has no other cycle.
void GrblReader::homing() {
  if (one_by_one_ == false) return lost_.clear();
  if (lost_.empty()) return;
  lost_ = fmt::format(
      "{}: not every axis may have been homed; DIAGnostic:POSition:REFerenced states that all are",
      one_by_one_ ? "the controller homes axes one by one too ($HX; H in [OPT:])"
                  : "the controller has not said whether it homes axes one by one ($I, [OPT:])");
}

// $13 sets the unit of every report, and no report contains it.
LineReading GrblReader::check_report_unit() const {
  if (!settings_.device_tells_unit) return {};
  if (!inches_)
    return fault(ProbeState::wrong_unit, "unit of the reports unknown: no answer to $$ with $13 yet");
  const bool want_inches = settings_.unit == LengthUnit::inch;
  if (*inches_ == want_inches) return {};
  return fault(ProbeState::wrong_unit,
               fmt::format("the device reports in {} ($13={}); configured: {}", *inches_ ? "inch" : "mm",
                           *inches_ ? 1 : 0, want_inches ? "inch" : "mm"));
}

LineReading GrblReader::check_state(std::string_view state) {
  if (state.find(',') != std::string_view::npos)
    return fault(ProbeState::malformed, "commas as in GRBL 0.9; 1.1 or newer is needed");
  const std::string_view word = take_field(state, ':');
  if (word == "Alarm") {
    if (lost_.empty()) lost_ = "the controller is in alarm; home the machine";
    return fault(ProbeState::not_referenced, lost_);
  }
  if (word == "Home") {
    homing();
    return fault(ProbeState::not_referenced, "homing");
  }
  if (word == "Check") return fault(ProbeState::device_error, "check mode: commands do not move the machine");
  if (word == "Door" || word == "Sleep")
    return fault(ProbeState::device_error, fmt::format("the controller is in state {}", word));
  if (word != "Idle" && word != "Run" && word != "Jog" && word != "Hold")
    return fault(ProbeState::malformed, fmt::format("{} is not a state of GRBL 1.1", in_quotes(word)));
  if (!lost_.empty()) return fault(ProbeState::not_referenced, lost_);
  return {};
}

LineReading GrblReader::read_triple(std::string_view text, std::string_view line) const {
  LineReading reading;
  while (!text.empty()) {
    const NumberReading number = read_number(take_field(text, ','), settings_.number);
    if (number.state != ProbeState::ok) return fault(number.state, number.why + ": " + in_quotes(line));
    reading.values.emplace_back(reading.values.size(), number.value);
  }
  if (reading.values.size() == settings_.axes.size()) return reading;
  return fault(ProbeState::malformed,
               fmt::format("{} axes where {} are configured: {}", reading.values.size(),
                           settings_.axes.size(), in_quotes(line)));
}

LineReading GrblReader::read_report(std::string_view line) {
  if (line.size() < 2 || line.back() != '>')
    return fault(ProbeState::malformed, "no '>' at the end of " + in_quotes(line));
  std::string_view rest = line.substr(1, line.size() - 2);
  const std::string_view state = take_field(rest, '|');
  std::optional<LineReading> machine, work, offset;
  while (!rest.empty()) {
    const std::string_view field = take_field(rest, '|');
    const std::string_view name = field.substr(0, field.find(':'));
    std::optional<LineReading>* into = name == "MPos"   ? &machine
                                       : name == "WPos" ? &work
                                       : name == "WCO"  ? &offset
                                                        : nullptr;
    if (!into) continue;
    if (*into) return fault(ProbeState::malformed, fmt::format("{} twice: {}", name, in_quotes(line)));
    *into = read_triple(field.substr(name.size() < field.size() ? name.size() + 1 : name.size()), line);
    if ((*into)->state != ProbeState::ok) {
      forget_offset();
      return **into;
    }
  }
  if (machine && work) return fault(ProbeState::malformed, "MPos and WPos in one report: " + in_quotes(line));
  if (offset) {
    offset_.emplace();
    for (const auto& [axis, value] : offset->values) offset_->push_back(value);
  }
  for (LineReading bad : {check_state(state), check_report_unit()})
    if (bad.state != ProbeState::ok) {
      bad.detail += ": " + in_quotes(line);
      return bad;
    }
  if (!machine && !work) return fault(ProbeState::partial, "a report without position: " + in_quotes(line));
  if (machine) return *machine;
  if (!offset_) return fault(ProbeState::partial, "WPos, but WCO has not come yet: " + in_quotes(line));
  for (auto& [axis, value] : work->values) value += (*offset_)[axis];
  return *work;
}

}  // namespace datum
