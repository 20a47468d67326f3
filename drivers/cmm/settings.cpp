#include "drivers/cmm/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "drivers/cmm/line_settings.h"
#include "drivers/cmm/setting_refusal.h"

namespace datum {
namespace {

void check_axis(const AxisSettings& axis) {
  const std::string name = fmt::format("axis '{}': ", axis.label);
  if (axis.machine_axis < no_machine_axis || axis.machine_axis > 5)
    refuse_setting(name + "machine axis must be X, Y, Z, A, B, C or none");
  if (axis.turns_head() && axis.scale != 1)
    refuse_setting(fmt::format("{}scale = {}; allowed for an angle: 1, degrees", name, axis.scale));
  if (!std::isfinite(axis.scale) || axis.scale <= 0)
    refuse_setting(fmt::format("{}scale = {}; allowed: more than 0 (a reversed axis has its own setting)",
                               name, axis.scale));
  if (!std::isfinite(axis.offset_mm)) refuse_setting(name + "offset_mm must be finite");
  if (!(axis.min_mm < axis.max_mm))
    refuse_setting(fmt::format("{}min_mm = {} must be below max_mm = {}", name, axis.min_mm, axis.max_mm));
  if (axis.min_shown && axis.max_shown && !(*axis.min_shown <= *axis.max_shown))
    refuse_setting(fmt::format("{}min_shown = {} must not be above max_shown = {}", name, *axis.min_shown,
                               *axis.max_shown));
}

void check_axes(const CmmSettings& settings) {
  if (settings.axes.empty() || settings.axes.size() > 6)
    refuse_setting(fmt::format("{} axes; allowed: 1 to 6", settings.axes.size()));
  int measured[6] = {0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < settings.axes.size(); ++i) {
    const AxisSettings& axis = settings.axes[i];
    check_axis(axis);
    if (axis.machine_axis != no_machine_axis && ++measured[axis.machine_axis] > 1)
      refuse_setting(
          fmt::format("machine axis {} comes from two axes of the line", machine_axes[axis.machine_axis]));
    for (std::size_t j = 0; j < i; ++j)
      if (settings.axes[j].label == axis.label) refuse_setting(fmt::format("axis '{}' twice", axis.label));
  }
  for (int i = 0; i < 3; ++i) {
    const std::optional<double>& fixed = settings.fixed_mm[static_cast<std::size_t>(i)];
    if (measured[i] > 0 && fixed)
      refuse_setting(fmt::format("machine axis {} is both on the line and fixed", machine_axes[i]));
    if (measured[i] == 0 && !fixed)
      refuse_setting(fmt::format("machine axis {} is not on the line: state where it stands (fixed_mm)",
                                 machine_axes[i]));
    if (fixed && !std::isfinite(*fixed)) refuse_setting("fixed_mm must be finite");
  }
}

void check_motion(const ProbeMotionSettings& motion) {
  const auto need = [](const char* name, double value, double most) {
    if (!(value > 0 && value <= most))
      refuse_setting(fmt::format("motion.{} = {}; allowed: more than 0, up to {}", name, value, most));
  };
  need("speed_mm_s", motion.speed_mm_s, 200);
  need("probing_speed_mm_s", motion.probing_speed_mm_s, 20);
  need("most_mm", motion.most_mm, 1000);
  need("arrival_um", motion.arrival_um, 1000);
  need_range("motion.timeout_ms", motion.timeout_ms, 100, 600'000);
  for (std::size_t i = 0; i < 3; ++i)
    if (!(motion.min_mm[i] < motion.max_mm[i]) || !std::isfinite(motion.max_mm[i] - motion.min_mm[i]))
      refuse_setting(
          fmt::format("motion.box: {} from {} to {} mm; it needs a least and a greatest, all finite",
                      machine_axes[i], motion.min_mm[i], motion.max_mm[i]));
}

void check_ipp(const CmmSettings& settings) {
  const IppSettings& ipp = settings.ipp;
  if (!std::holds_alternative<TcpSettings>(settings.link))
    refuse_setting("I++ DME is spoken over TCP: state [cmm.tcp]");
  if (!settings.poll.strings.empty()) refuse_setting("I++ DME has its own polls: leave poll.strings out");
  if (settings.unit != LengthUnit::mm) refuse_setting("I++ DME knows only mm");
  for (const AxisSettings& axis : settings.axes) {
    const bool length = axis.label == "X" || axis.label == "Y" || axis.label == "Z";
    const bool angle = axis.label == "Tool.A" || axis.label == "Tool.B" || axis.label == "Tool.C";
    if (!(length && axis.moves_stage()) && !(angle && axis.turns_head()))
      refuse_setting(
          fmt::format("axis '{}'; allowed: X, Y, Z, and with the machine axis A, B or C Tool.A, Tool.B, "
                      "Tool.C, as I++ DME names "
                      "them",
                      axis.label));
  }
  if (ipp.tool.empty() || ipp.tool.find('"') != std::string::npos)
    refuse_setting(fmt::format("tool '{}'; allowed: the name of the tool that must be active, without quotes",
                               ipp.tool));
  const char* known[] = {"MachineCsy", "MoveableMachineCsy", "MultipleArmCsy", "PartCsy"};
  if (std::none_of(std::begin(known), std::end(known),
                   [&](const char* name) { return ipp.coordinate_system == name; }))
    refuse_setting(fmt::format(
        "coordinate_system '{}'; allowed: MachineCsy, MoveableMachineCsy, MultipleArmCsy, PartCsy",
        ipp.coordinate_system));
  if (ipp.transformation && ipp.coordinate_system == "MachineCsy")
    refuse_setting("MachineCsy has no transformation");
  if (ipp.transformation && !((*ipp.transformation)[3] >= 0 && (*ipp.transformation)[3] <= 180))
    refuse_setting(fmt::format("theta = {} degrees; allowed: 0 to 180", (*ipp.transformation)[3]));
  need_range("watchdog_ms", ipp.watchdog_ms, 100, 60'000);
  if (ipp.motion) check_motion(*ipp.motion);
  // Distances and speeds are sent without an axis.
  for (const AxisSettings& axis : settings.axes)
    if (ipp.motion && axis.scale != 1)
      refuse_setting(fmt::format("axis '{}' scale = {}; allowed where the machine moves: 1, I++ DME is in mm",
                                 axis.label, axis.scale));
  if (!ipp.move_report_s) return;
  // At least the standard's shortest period, and at most ten reports a second.
  if (!(*ipp.move_report_s >= 0.1 && *ipp.move_report_s <= 3600))
    refuse_setting(fmt::format("move_report_s = {}; allowed: 0.1 to 3600", *ipp.move_report_s));
  if (!(ipp.move_report_mm > 0 && std::isfinite(ipp.move_report_mm)))
    refuse_setting(fmt::format("move_report_mm = {}; allowed: more than 0", ipp.move_report_mm));
  if (settings.pairing.latency_ms < 1)
    refuse_setting(
        "a move report carries no time: state in [cmm.pairing] latency_ms how old it may be when it comes");
}

/// GRBL takes its feed in mm/min; a probe's touch is what it latches.
void check_grbl_motion(const CmmSettings& settings) {
  check_motion(*settings.grbl_motion);
  constexpr double most_mm_s = 10'000.0 / 60;
  if (settings.grbl_motion->speed_mm_s > most_mm_s)
    refuse_setting(fmt::format("motion.speed_mm_s = {}; allowed for GRBL: up to {:.1f}",
                               settings.grbl_motion->speed_mm_s, most_mm_s));
  if (settings.touch != TouchRule::latched)
    refuse_setting(
        "touch: GRBL moves its probe by G38.3, which latches; allowed beside allow_motion: \"latched\"");
  for (const AxisSettings& axis : settings.axes)
    if (axis.machine_axis != no_machine_axis && axis.scale != 1)
      refuse_setting(
          fmt::format("axis '{}' scale = {}; allowed where the machine moves: 1, a feed has no axis",
                      axis.label, axis.scale));
}

void check_watch(const WatchSettings& watch) {
  if (!std::isfinite(watch.max_speed_mm_per_s) || watch.max_speed_mm_per_s < 0)
    refuse_setting(fmt::format("max_speed_mm_per_s = {}; allowed: more than 0, or 0: not looked at",
                               watch.max_speed_mm_per_s));
  need_range("frozen_samples", watch.frozen_samples, 0, 10'000);
  if (watch.frozen_samples == 1)
    refuse_setting("frozen_samples = 1; allowed: 2 or more, or 0: not looked at");
  need_range("first_samples", watch.first_samples, 0, 1000);
}

void check_polls(const CmmSettings& settings) {
  const PollSettings& poll = settings.poll;
  for (const std::string& text : poll.strings)
    if (text.empty()) refuse_setting("an empty poll string");
  if (poll.strings.size() > 1 && !poll.accepted && poll.strings.size() != settings.axes.size())
    refuse_setting(fmt::format("{} poll strings for {} axes; allowed: one for all, or one for each",
                               poll.strings.size(), settings.axes.size()));
  if ((poll.accepted || poll.rejected) && poll.strings.empty())
    refuse_setting("accepted and rejected belong to poll strings");
  if (poll.accepted && poll.accepted == poll.rejected)
    refuse_setting("accepted and rejected are the same byte");
  need_range("poll period_ms", poll.period_ms, 10, 600'000);
  need_range("poll timeout_ms", poll.timeout_ms, 10, 60'000);
}

void check_times(const CmmSettings& settings) {
  need_range("group_window_ms", settings.group_window_ms, 1, 60'000);
  need_range("max_age_ms", settings.max_age_ms, 1, 600'000);
  const PairSettings& pair = settings.pairing;
  if (!std::isfinite(pair.tolerance_um) || pair.tolerance_um <= 0)
    refuse_setting(fmt::format("tolerance_um = {}; allowed: more than 0", pair.tolerance_um));
  if (!(pair.head_tolerance_deg > 0 && pair.head_tolerance_deg <= 1))
    refuse_setting(
        fmt::format("head_tolerance_deg = {}; allowed: more than 0, up to 1", pair.head_tolerance_deg));
  need_range("window_ms", pair.window_ms, 1, 600'000);
  need_range("position_timeout_ms", pair.position_timeout_ms, 1, 600'000);
  need_range("frame_timeout_ms", pair.frame_timeout_ms, 1, 600'000);
  need_range("latency_ms", pair.latency_ms, 0, 60'000);
}

/// Angles of the head beside positions.
void check_head(const CmmSettings& settings) {
  if (!has_head(settings)) return;
  if (settings.layout == Layout::grbl && settings.unit == LengthUnit::inch)
    refuse_setting(
        "an axis A, B or C beside unit inch: GRBL divides angles by 25.4 too; allowed: unit \"mm\" ($13=0)");
  if (settings.ipp.motion || settings.grbl_motion)
    refuse_setting(
        "an axis A, B or C beside allow_motion: where the tip of a turned head lies is not known; leave one "
        "of them out");
}

}  // namespace

bool has_head(const CmmSettings& settings) {
  return std::any_of(settings.axes.begin(), settings.axes.end(),
                     [](const AxisSettings& axis) { return axis.turns_head(); });
}

void check(const CmmSettings& settings) {
  check_axes(settings);
  check_head(settings);
  check_line(settings);
  check_polls(settings);
  check_watch(settings.watch);
  check_times(settings);
  if (settings.layout == Layout::ipp_dme) check_ipp(settings);
  if (settings.grbl_motion) check_grbl_motion(settings);
}

std::unique_ptr<Port> open_link(const CmmSettings& settings) {
  if (const auto* serial = std::get_if<SerialSettings>(&settings.link)) return serial_port(*serial);
  const auto& tcp = std::get<TcpSettings>(settings.link);
  return tcp_port(tcp.host, tcp.port);
}

}  // namespace datum
