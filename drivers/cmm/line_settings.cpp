#include "drivers/cmm/line_settings.h"

#include <algorithm>
#include <set>

#include "drivers/cmm/line_pattern.h"
#include "drivers/cmm/line_reading.h"
#include "drivers/cmm/setting_refusal.h"

namespace datum {
namespace {

constexpr std::size_t longest_line = 4096;

void refuse(const std::string& what) { refuse_setting(what); }

void check_columns(const CmmSettings& settings) {
  const auto count = [&](Column::Is is) {
    return std::count_if(settings.columns.begin(), settings.columns.end(),
                         [is](const Column& c) { return c.is == is; });
  };
  for (const Column& column : settings.columns) {
    if (column.width < 1 || (column.is == Column::Is::literal && column.text.size() != column.width))
      refuse(fmt::format("a column of {} characters with the text '{}'", column.width, column.text));
    if (column.is == Column::Is::one_of && (column.text.empty() || column.width != 1))
      refuse("a column one_of needs the characters that are allowed, and is one wide");
  }
  if (settings.layout != Layout::columns) return;
  const bool whole = settings.grouping == Grouping::single_line;
  const auto numbers = static_cast<std::size_t>(count(Column::Is::number));
  if (!whole && numbers != 1) refuse("fixed columns of one axis need exactly one number");
  if (whole && numbers != settings.axes.size())
    refuse(
        fmt::format("fixed columns with {} numbers for {} axes; one for each, in the axes' order, or "
                    "group the lines by order or label",
                    numbers, settings.axes.size()));
  if ((count(Column::Is::label) == 1) != (settings.grouping == Grouping::by_label))
    refuse("fixed columns need a label if, and only if, lines are grouped by label");
}

void check_expression(const CmmSettings& settings) {
  const LinePattern pattern(settings.expression);
  const std::vector<std::string> groups = pattern.groups();
  const auto has = [&](const char* name) {
    return std::find(groups.begin(), groups.end(), name) != groups.end();
  };
  const bool whole = settings.grouping == Grouping::single_line;
  std::set<std::size_t> axes;
  for (const std::string& group : groups) {
    if (group == "label" || group == "value" || group == "unit") continue;
    const auto axis = axis_of(group, settings);
    if (!axis)
      refuse(fmt::format("expression: group '{}'; allowed: an axis's label, label, value, unit", group));
    axes.insert(*axis);
  }
  if (whole && axes.size() != settings.axes.size())
    refuse(
        fmt::format("expression: groups for {} of {} axes; a line of its own for each axis has grouping "
                    "by_order or by_label",
                    axes.size(), settings.axes.size()));
  if (whole == has("value") || (!whole && !axes.empty()))
    refuse("expression: a line of one axis has the group value, a line of all a group for each axis");
  if (has("label") != (settings.grouping == Grouping::by_label))
    refuse("expression: a group label if, and only if, lines are grouped by label");
  if (settings.unit_token != UnitToken::none && !has("unit"))
    refuse("expression: no group unit to compare with unit_token");
}

void check_layout(const CmmSettings& settings) {
  const bool one_per_line = settings.grouping != Grouping::single_line;
  if (settings.layout == Layout::expression) check_expression(settings);
  if (settings.layout != Layout::expression && !settings.expression.empty())
    refuse("an expression belongs to layout 'expression' alone");
  if (settings.layout == Layout::labelled && settings.grouping == Grouping::by_order)
    refuse("labelled lines are grouped by label or carry all axes");
  if (settings.layout == Layout::positional && settings.grouping == Grouping::by_label)
    refuse("positional lines have no label: group them by order, or all axes on one line");
  if (settings.layout == Layout::grbl && one_per_line) refuse("a GRBL report carries all axes");
  if (settings.device_tells_unit && (settings.layout != Layout::grbl || settings.setup.empty()))
    refuse("only GRBL reports its unit, asked by the setup string");
}

void check_number(const CmmSettings& settings) {
  const NumberFormat& number = settings.number;
  if (number.point != '.' && number.point != ',')
    refuse(fmt::format("decimal point '{}'; allowed: '.' or ','", number.point));
  const std::string delimiters = settings.layout == Layout::positional ? settings.delimiters : "";
  if (delimiters.find(number.point) != std::string::npos)
    refuse(fmt::format("the decimal point '{}' is one of the delimiters", number.point));
  if (number.group) {
    if (std::string(" .,'").find(*number.group) == std::string::npos || *number.group == number.point)
      refuse(fmt::format("group '{}'; allowed: ' ', '.', ',' or ''', other than the point", *number.group));
    if (delimiters.find(*number.group) != std::string::npos)
      refuse(fmt::format("the group separator '{}' is one of the delimiters", *number.group));
  }
  if (number.decimals && number.implied_decimals) refuse("decimals and implied_decimals exclude each other");
  if (number.exponent && (number.decimals || number.implied_decimals))
    refuse("a number with exponent has no fixed decimals");
  if (number.pointless && !number.implied_decimals)
    refuse("this device sends no decimal point: state number.implied_decimals as set at the device");
  // report.c of GRBL 1.1: N_DECIMAL_COORDVALUE_INCH.
  if (settings.layout == Layout::grbl && settings.unit == LengthUnit::inch &&
      number.decimals.value_or(4) != 4)
    refuse(fmt::format("number.decimals = {}; GRBL sends 4 in inches: state 4", *number.decimals));
  need_range("decimals", number.decimals.value_or(0), 0, 9);
  need_range("implied_decimals", number.implied_decimals.value_or(0), 0, 9);
}

// Without a terminator only the length or a pause marks a line's start.
void check_ends(const LineFraming& framing, bool polled) {
  const std::size_t end = framing.terminator.size();
  if (end > 2) refuse(fmt::format("terminator of {} bytes; allowed: 1 or 2", end));
  need_range("gap_ms", framing.gap_ms, 0, 10'000);
  const int ways = (end > 0 ? 1 : 0) + (framing.fixed_length > 0 ? 1 : 0) + (framing.gap_ms > 0 ? 1 : 0);
  if (ways != 1)
    refuse(
        fmt::format("a line ends in {} ways; allowed: one of terminator (1 or 2 bytes), fixed_length and "
                    "gap_ms",
                    ways));
  if (framing.fixed_length > framing.max_length)
    refuse(fmt::format("fixed_length = {}; allowed: up to max_length = {}", framing.fixed_length,
                       framing.max_length));
  if (framing.fixed_length > 0 && !framing.start && !polled)
    refuse("lines of fixed_length that come unasked need a start character to be distinguished");
}

void check_framing(const CmmSettings& settings) {
  const LineFraming& framing = settings.framing;
  need_range("max_length", static_cast<int>(std::min<std::size_t>(framing.max_length, 1 << 20)), 1,
             longest_line);
  check_ends(framing, !settings.poll.strings.empty());
  if (settings.integrity == Integrity::xor_byte && framing.terminator.empty())
    refuse("integrity xor_byte: the byte stands behind a terminator");
  for (const StatusToken& token : settings.status_tokens) {
    if (token.text.empty()) refuse("a status token without text");
    if (token.whole && token.prefix) refuse("a status token is the whole line or at its start");
  }
}

}  // namespace

void check_line(const CmmSettings& settings) {
  check_columns(settings);
  check_layout(settings);
  check_framing(settings);
  check_number(settings);
}

}  // namespace datum
