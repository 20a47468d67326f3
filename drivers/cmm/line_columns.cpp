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
    case Column::Is::unit_letter:
      if (cell != "M" && cell != "I")
        return fault(ProbeState::malformed, fmt::format("{} is not a unit letter", in_quotes(cell)));
      return check_unit(cell == "M" ? "mm" : "inch", settings);
    case Column::Is::one_of:
      if (column.text.find(cell[0]) == std::string::npos)
        return fault(ProbeState::device_error, fmt::format("{} where a position has one of {}",
                                                           in_quotes(cell), in_quotes(column.text)));
      return {};
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

LineReading take_label(std::string_view cell, const CmmSettings& settings, std::size_t& axis) {
  const auto found = axis_of(trimmed(cell), settings);
  if (!found) return unknown_axis(cell);
  axis = *found;
  return {};
}

// The k-th number of a line is the k-th axis, unless a label states otherwise.
LineReading take_number(std::string_view sign, std::string_view cell, const CmmSettings& settings,
                        std::size_t axis, LineReading& into) {
  const NumberReading value = read_number(std::string(sign) + std::string(cell), settings.number);
  if (value.state != ProbeState::ok) return fault(value.state, value.why);
  into.values.emplace_back(axis + into.values.size(), value.value);
  return {};
}

}  // namespace

LineReading read_columns(std::string_view line, const CmmSettings& settings) {
  std::size_t width = 0;
  for (const Column& column : settings.columns) width += column.width;
  if (line.size() != width)
    return fault(ProbeState::malformed,
                 fmt::format("{} characters where {} belong: {}", line.size(), width, in_quotes(line)));
  LineReading reading;
  std::size_t axis = 0, at = 0;
  std::string_view sign;
  for (const Column& column : settings.columns) {
    const std::string_view cell = line.substr(at, column.width);
    at += column.width;
    LineReading mark = column.is == Column::Is::label    ? take_label(cell, settings, axis)
                       : column.is == Column::Is::number ? take_number(sign, cell, settings, axis, reading)
                                                         : check_mark(column, cell, settings);
    if (mark.state != ProbeState::ok) {
      mark.detail += ": " + in_quotes(line);
      return mark;
    }
    if (column.is == Column::Is::sign) sign = cell;
    if (column.is == Column::Is::number) sign = {};
  }
  return reading;
}

}  // namespace datum
