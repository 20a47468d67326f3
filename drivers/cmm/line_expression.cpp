// A regular expression with named groups, for lines that no other layout covers.
#include <fmt/format.h>

#include "drivers/cmm/line_framer.h"
#include "drivers/cmm/line_pattern.h"
#include "drivers/cmm/line_reading.h"

namespace datum {
namespace {

LineReading add_value(LineReading& into, std::size_t axis, std::string_view text,
                      const CmmSettings& settings) {
  const NumberReading number = read_number(text, settings.number);
  if (number.state != ProbeState::ok) return fault(number.state, number.why);
  into.values.emplace_back(axis, number.value);
  return {};
}

LineReading add_group(LineReading& into, const std::string& name, std::string_view text,
                      const LinePattern::Match& match, const CmmSettings& settings) {
  if (name == "label" || name == "unit") return {};
  if (name != "value") return add_value(into, *axis_of(name, settings), text, settings);
  if (settings.grouping != Grouping::by_label) return add_value(into, 0, text, settings);
  const auto label = match.groups.find("label");
  const std::string_view shown = label == match.groups.end() ? std::string_view{} : trimmed(label->second);
  const auto axis = axis_of(shown, settings);
  if (!axis) return unknown_axis(shown);
  return add_value(into, *axis, text, settings);
}

}  // namespace

LineReading read_expression(std::string_view line, const CmmSettings& settings, const LinePattern& pattern) {
  const LinePattern::Match match = pattern.match(line);
  if (!match.fault.empty())
    return fault(ProbeState::malformed,
                 fmt::format("the expression gives up ({}): {}", match.fault, in_quotes(line)));
  if (!match.found) return fault(ProbeState::malformed, "the expression does not match " + in_quotes(line));
  const auto unit = match.groups.find("unit");
  LineReading bad =
      check_unit(unit == match.groups.end() ? std::string_view{} : trimmed(unit->second), settings);
  LineReading reading;
  for (auto group = match.groups.begin(); group != match.groups.end() && bad.state == ProbeState::ok; ++group)
    bad = add_group(reading, group->first, group->second, match, settings);
  if (bad.state == ProbeState::ok) return reading;
  bad.detail += ": " + in_quotes(line);
  return bad;
}

}  // namespace datum
