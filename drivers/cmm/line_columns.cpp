// Fixed columns: "+  123.4567   A" (Heidenhain ND 28x), "01A+0000.123" (Mitutoyo MUX-10).
#include <fmt/format.h>

#include "drivers/cmm/line_framer.h"
#include "drivers/cmm/line_reading.h"

namespace datum {
namespace {

LineReading check_mark(const Column& column, std::string_view cell, const CmmSettings& settings) {
  switch (column.is) {
    case Column::Is::literal:
      if (cell != column.text)
        return fault(ProbeState::malformed,
                     fmt::format("{} where {} belongs", in_quotes(cell), in_quotes(column.text)));
      return {};
    case Column::Is::blank:
      if (!trimmed(cell).empty())
        return fault(ProbeState::malformed, fmt::format("{} where a blank belongs", in_quotes(cell)));
      return {};
    case Column::Is::sign:
      if (cell != "+" && cell != "-" && cell != " ")
        return fault(ProbeState::malformed, fmt::format("{} where a sign belongs", in_quotes(cell)));
      return {};
    case Column::Is::unit:
      return check_unit(trimmed(cell), settings);
    case Column::Is::sort_status:
      if (cell == "?") return fault(ProbeState::device_error, "the sort status marks a fault ('?')");
      if (cell != "<" && cell != "=" && cell != ">" && cell != " ")
        return fault(ProbeState::malformed, fmt::format("{} is not a sort status", in_quotes(cell)));
      return {};
    case Column::Is::series:
      if (cell == "S" || cell == "G" || cell == "D")
        return fault(ProbeState::device_error,
                     fmt::format("series letter {}: a minimum, maximum or difference, not a position", cell));
      if (cell != "A" && cell != " ")
        return fault(ProbeState::malformed, fmt::format("{} is not a series letter", in_quotes(cell)));
      return {};
    case Column::Is::label:
    case Column::Is::number:
      return {};
  }
  return {};
}

}  // namespace

LineReading read_columns(std::string_view line, const CmmSettings& settings) {
  std::size_t width = 0;
  for (const Column& column : settings.columns) width += column.width;
  if (line.size() != width)
    return fault(ProbeState::malformed,
                 fmt::format("{} characters where {} belong: {}", line.size(), width, in_quotes(line)));
  std::size_t axis = 0, at = 0;
  std::string number;
  for (const Column& column : settings.columns) {
    const std::string_view cell = line.substr(at, column.width);
    at += column.width;
    LineReading mark = check_mark(column, cell, settings);
    if (mark.state != ProbeState::ok) {
      mark.detail += ": " + in_quotes(line);
      return mark;
    }
    if (column.is == Column::Is::sign || column.is == Column::Is::number) number += cell;
    if (column.is == Column::Is::label) {
      const auto found = axis_of(trimmed(cell), settings);
      if (!found)
        return fault(ProbeState::malformed, fmt::format("axis {} is not configured", in_quotes(cell)));
      axis = *found;
    }
  }
  const NumberReading value = read_number(number, settings.number);
  if (value.state != ProbeState::ok) return fault(value.state, value.why + ": " + in_quotes(line));
  LineReading reading;
  reading.values.emplace_back(axis, value.value);
  return reading;
}

}  // namespace datum
