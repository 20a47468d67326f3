#include "drivers/cmm/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace datum {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw RefusedError("cmm: " + what); }

void need_range(const char* name, int value, int min, int max) {
  if (value < min || value > max) refuse(fmt::format("{} = {}; allowed: {} to {}", name, value, min, max));
}

void check_axis(const AxisSettings& axis) {
  const std::string name = fmt::format("axis '{}': ", axis.label);
  if (axis.machine_axis < 0 || axis.machine_axis > 2) refuse(name + "machine axis must be X, Y or Z");
  if (!std::isfinite(axis.scale) || axis.scale <= 0)
    refuse(fmt::format("{}scale = {}; allowed: more than 0 (a reversed axis has its own setting)", name,
                       axis.scale));
  if (!std::isfinite(axis.offset_mm)) refuse(name + "offset_mm must be finite");
  if (!(axis.min_mm < axis.max_mm))
    refuse(fmt::format("{}min_mm = {} must be below max_mm = {}", name, axis.min_mm, axis.max_mm));
}

void check_axes(const CmmSettings& settings) {
  if (settings.axes.empty() || settings.axes.size() > 3)
    refuse(fmt::format("{} axes; allowed: 1 to 3", settings.axes.size()));
  int measured[3] = {0, 0, 0};
  for (std::size_t i = 0; i < settings.axes.size(); ++i) {
    const AxisSettings& axis = settings.axes[i];
    check_axis(axis);
    if (++measured[axis.machine_axis] > 1)
      refuse(fmt::format("machine axis {} comes from two axes of the line", "XYZ"[axis.machine_axis]));
    for (std::size_t j = 0; j < i; ++j)
      if (settings.axes[j].label == axis.label) refuse(fmt::format("axis '{}' twice", axis.label));
  }
  for (int i = 0; i < 3; ++i) {
    const std::optional<double>& fixed = settings.fixed_mm[static_cast<std::size_t>(i)];
    if (measured[i] > 0 && fixed)
      refuse(fmt::format("machine axis {} is both on the line and fixed", "XYZ"[i]));
    if (measured[i] == 0 && !fixed)
      refuse(fmt::format("machine axis {} is not on the line: state where it stands (fixed_mm)", "XYZ"[i]));
    if (fixed && !std::isfinite(*fixed)) refuse("fixed_mm must be finite");
  }
}

void check_layout(const CmmSettings& settings) {
  const auto count = [&](Column::Is is) {
    return std::count_if(settings.columns.begin(), settings.columns.end(),
                         [is](const Column& c) { return c.is == is; });
  };
  for (const Column& column : settings.columns)
    if (column.width < 1 || (column.is == Column::Is::literal && column.text.size() != column.width))
      refuse(fmt::format("a column of {} characters with the text '{}'", column.width, column.text));
  const bool one_per_line = settings.grouping != Grouping::single_line;
  if (settings.layout == Layout::columns) {
    if (!one_per_line && settings.axes.size() > 1)
      refuse("fixed columns carry one axis: group the lines by order or label");
    if (count(Column::Is::number) != 1) refuse("fixed columns need exactly one number");
    if ((count(Column::Is::label) == 1) != (settings.grouping == Grouping::by_label))
      refuse("fixed columns need a label if, and only if, lines are grouped by label");
  }
  if (settings.layout == Layout::labelled && settings.grouping == Grouping::by_order)
    refuse("labelled lines are grouped by label or carry all axes");
  if (settings.layout == Layout::positional && settings.grouping == Grouping::by_label)
    refuse("positional lines have no label: group them by order, or all axes on one line");
  if (settings.layout == Layout::grbl && one_per_line) refuse("a GRBL report carries all axes");
  if (settings.device_tells_unit && (settings.layout != Layout::grbl || settings.setup.empty()))
    refuse("only GRBL tells its unit, asked by the setup string");
}

void check_ipp(const CmmSettings& settings) {
  const IppSettings& ipp = settings.ipp;
  if (!std::holds_alternative<TcpSettings>(settings.link))
    refuse("I++ DME is spoken over TCP: state [cmm.tcp]");
  if (!settings.poll.strings.empty()) refuse("I++ DME has its own polls: leave poll.strings out");
  if (settings.unit != LengthUnit::mm) refuse("I++ DME knows only mm");
  for (const AxisSettings& axis : settings.axes)
    if (axis.label != "X" && axis.label != "Y" && axis.label != "Z")
      refuse(fmt::format("axis '{}'; allowed: X, Y, Z, as I++ DME names them", axis.label));
  if (ipp.tool.empty() || ipp.tool.find('"') != std::string::npos)
    refuse(fmt::format("tool '{}'; allowed: the name of the tool that must be active, without quotes",
                       ipp.tool));
  const char* known[] = {"MachineCsy", "MoveableMachineCsy", "MultipleArmCsy", "PartCsy"};
  if (std::none_of(std::begin(known), std::end(known),
                   [&](const char* name) { return ipp.coordinate_system == name; }))
    refuse(fmt::format(
        "coordinate_system '{}'; allowed: MachineCsy, MoveableMachineCsy, MultipleArmCsy, PartCsy",
        ipp.coordinate_system));
  if (ipp.transformation && ipp.coordinate_system == "MachineCsy") refuse("MachineCsy has no transformation");
  if (ipp.transformation && !((*ipp.transformation)[3] >= 0 && (*ipp.transformation)[3] <= 180))
    refuse(fmt::format("theta = {} degrees; allowed: 0 to 180", (*ipp.transformation)[3]));
  need_range("watchdog_ms", ipp.watchdog_ms, 100, 60'000);
  if (!ipp.move_report_s) return;
  // The standard's shortest period and at most ten reports a second.
  if (!(*ipp.move_report_s >= 0.1 && *ipp.move_report_s <= 3600))
    refuse(fmt::format("move_report_s = {}; allowed: 0.1 to 3600", *ipp.move_report_s));
  if (!(ipp.move_report_mm > 0 && std::isfinite(ipp.move_report_mm)))
    refuse(fmt::format("move_report_mm = {}; allowed: more than 0", ipp.move_report_mm));
  if (settings.pairing.latency_ms < 1)
    refuse(
        "a move report carries no time: state in [cmm.pairing] latency_ms how old it may be when it comes");
}

void check_framing(const CmmSettings& settings) {
  const std::size_t end = settings.framing.terminator.size();
  if (end < 1 || end > 2) refuse(fmt::format("terminator of {} bytes; allowed: 1 or 2", end));
  need_range("max_length", static_cast<int>(std::min<std::size_t>(settings.framing.max_length, 1 << 20)), 1,
             4096);
  const char point = settings.number.point;
  if (point != '.' && point != ',') refuse(fmt::format("decimal point '{}'; allowed: '.' or ','", point));
  if (settings.layout == Layout::positional && settings.delimiters.find(point) != std::string::npos)
    refuse(fmt::format("the decimal point '{}' is one of the delimiters", point));
  for (const StatusToken& token : settings.status_tokens)
    if (token.text.empty()) refuse("a status token without text");
  if (settings.number.decimals && settings.number.implied_decimals)
    refuse("decimals and implied_decimals exclude each other");
  need_range("decimals", settings.number.decimals.value_or(0), 0, 9);
  need_range("implied_decimals", settings.number.implied_decimals.value_or(0), 0, 9);
}

void check_times(const CmmSettings& settings) {
  need_range("group_window_ms", settings.group_window_ms, 1, 60'000);
  need_range("max_age_ms", settings.max_age_ms, 1, 600'000);
  for (const std::string& poll : settings.poll.strings)
    if (poll.empty()) refuse("an empty poll string");
  if (settings.poll.strings.size() > 1 && settings.poll.strings.size() != settings.axes.size())
    refuse(fmt::format("{} poll strings for {} axes; allowed: one for all, or one for each",
                       settings.poll.strings.size(), settings.axes.size()));
  need_range("poll period_ms", settings.poll.period_ms, 10, 600'000);
  need_range("poll timeout_ms", settings.poll.timeout_ms, 10, 60'000);
  const PairSettings& pair = settings.pairing;
  if (!std::isfinite(pair.tolerance_um) || pair.tolerance_um <= 0)
    refuse(fmt::format("tolerance_um = {}; allowed: more than 0", pair.tolerance_um));
  need_range("window_ms", pair.window_ms, 1, 600'000);
  need_range("position_timeout_ms", pair.position_timeout_ms, 1, 600'000);
  need_range("frame_timeout_ms", pair.frame_timeout_ms, 1, 600'000);
  need_range("latency_ms", pair.latency_ms, 0, 60'000);
}

}  // namespace

void check(const CmmSettings& settings) {
  check_axes(settings);
  check_layout(settings);
  check_framing(settings);
  check_times(settings);
  if (settings.layout == Layout::ipp_dme) check_ipp(settings);
}

std::unique_ptr<Port> open_link(const CmmSettings& settings) {
  if (const auto* serial = std::get_if<SerialSettings>(&settings.link)) return serial_port(*serial);
  const auto& tcp = std::get<TcpSettings>(settings.link);
  return tcp_port(tcp.host, tcp.port);
}

}  // namespace datum
