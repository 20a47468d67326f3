// Values by position: "12.000, -3.500, 0.250 mm".
#include <fmt/format.h>

#include <cctype>

#include "drivers/cmm/line_framer.h"
#include "drivers/cmm/line_reading.h"

namespace datum {
namespace {

// One visible delimiter with the blanks around it, or a run of blanks where blanks delimit, ends a field. Two
// visible delimiters in a row enclose an empty field. A blank after a sign belongs to the number.
std::vector<std::string_view> fields_of(std::string_view line, const std::string& delimiters) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0, at = 0;
  const auto delimits = [&](std::size_t i) { return delimiters.find(line[i]) != std::string::npos; };
  const auto after_sign = [&] {
    const std::string_view field = trimmed(line.substr(begin, at - begin));
    return field.empty() || field == "+" || field == "-";
  };
  while (at < line.size()) {
    if (!delimits(at) || (is_blank(line[at]) && after_sign())) {
      ++at;
      continue;
    }
    fields.push_back(trimmed(line.substr(begin, at - begin)));
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at < line.size() && delimits(at) && !is_blank(line[at])) ++at;
    begin = at;
  }
  if (!trimmed(line.substr(begin)).empty()) fields.push_back(trimmed(line.substr(begin)));
  return fields;
}

bool is_unit_word(std::string_view field) {
  return !field.empty() &&
         (field == "\"" || field == "?" || std::isalpha(static_cast<unsigned char>(field[0])));
}

}  // namespace

LineReading read_positional(std::string_view line, const CmmSettings& settings) {
  std::vector<std::string_view> fields = fields_of(trimmed(line), settings.delimiters);
  std::string_view unit;
  if (!fields.empty() && is_unit_word(fields.back())) {
    unit = fields.back();
    fields.pop_back();
  }
  const auto refuse = [&](ProbeState state, const std::string& why) {
    return fault(state, why + ": " + in_quotes(line));
  };
  if (LineReading bad = check_unit(unit, settings); bad.state != ProbeState::ok)
    return refuse(bad.state, bad.detail);
  const std::size_t expected = settings.grouping == Grouping::single_line ? settings.axes.size() : 1;
  LineReading reading;
  for (const std::string_view field : fields) {
    const NumberReading number = read_number(field, settings.number);
    if (number.state != ProbeState::ok) return refuse(number.state, number.why);
    reading.values.emplace_back(reading.values.size(), number.value);
  }
  if (reading.values.size() > expected)
    return refuse(ProbeState::malformed,
                  fmt::format("{} values where {} belong", reading.values.size(), expected));
  return reading;
}

}  // namespace datum
