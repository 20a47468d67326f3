// Parsers of one line, as pure functions, one file per layout.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/cmm/settings.h"

namespace datum {

struct LineReading {
  ProbeState state = ProbeState::ok;
  std::string detail;                                  // text where state is not ok
  bool ignored = false;                                // the line holds no position
  bool latched = false;                                // the line reports a touch, not the current position
  std::vector<std::pair<std::size_t, double>> values;  // index into CmmSettings::axes (by_order: always 0),
                                                       // value in the configured unit, as displayed
  std::string unknown_label;  // of an axis that is not configured, where that is the fault
};

LineReading fault(ProbeState state, std::string detail);
LineReading ignored_line();

/// Separator of two words of a line.
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The fault of an axis that is not configured.
LineReading unknown_axis(std::string_view label);

/// Parses "+0012.345", "- 3.5", "12,345" by the format. Does not throw: `why` is the fault, or empty.
struct NumberReading {
  double value = 0;
  ProbeState state = ProbeState::ok;
  std::string why;
};
NumberReading read_number(std::string_view text, const NumberFormat& format);

/// Compares the unit in `word` (may be empty) with the configuration: ok, device_error ('?'), wrong_unit,
/// malformed.
LineReading check_unit(std::string_view word, const CmmSettings& settings);

/// Index of the axis with this label; none if there is none.
std::optional<std::size_t> axis_of(std::string_view label, const CmmSettings& settings);
std::string_view trimmed(std::string_view text);

class LinePattern;
LineReading read_columns(std::string_view line, const CmmSettings& settings);
LineReading read_labelled(std::string_view line, const CmmSettings& settings);
LineReading read_positional(std::string_view line, const CmmSettings& settings);
LineReading read_expression(std::string_view line, const CmmSettings& settings, const LinePattern& pattern);

}  // namespace datum
