#include "drivers/cmm/machine_position.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace datum {
namespace {

constexpr double mm_per_inch = 25.4;  // exact by definition

std::string shown_outside(const AxisSettings& axis, double shown) {
  const bool low = axis.min_shown && shown < *axis.min_shown,
             high = axis.max_shown && shown > *axis.max_shown;
  if (!low && !high) return "";
  return fmt::format("axis {} shows {}; allowed: {} {}", axis.label, shown, low ? "from" : "up to",
                     low ? *axis.min_shown : *axis.max_shown);
}

// Records the first fault.
void note(ProbePoint& point, const std::string& outside) {
  if (outside.empty() || point.state != ProbeState::ok) return;
  point.state = ProbeState::out_of_range;
  point.detail = outside;
}

void take_angle(ProbePoint& point, const AxisSettings& axis, double shown_deg) {
  if (!point.head_deg) point.head_deg.emplace();
  const double deg = (axis.reversed ? -shown_deg : shown_deg) + axis.offset_mm;
  (*point.head_deg)[static_cast<std::size_t>(axis.machine_axis - first_head_axis)] = deg;
  if (deg < axis.min_mm || deg > axis.max_mm || !std::isfinite(deg))
    note(point, fmt::format("{} = {} degrees; allowed: {} to {} degrees", machine_axes[axis.machine_axis],
                            deg, axis.min_mm, axis.max_mm));
}

}  // namespace

ProbePoint machine_position(const CmmSettings& settings, const std::vector<std::optional<double>>& values) {
  ProbePoint point;
  point.state = ProbeState::ok;
  for (std::size_t i = 0; i < 3; ++i) point.position_mm[i] = settings.fixed_mm[i].value_or(0);
  const double unit_mm = settings.unit == LengthUnit::inch ? mm_per_inch : 1;
  for (std::size_t i = 0; i < settings.axes.size(); ++i) {
    const AxisSettings& axis = settings.axes[i];
    note(point, shown_outside(axis, *values[i]));
    if (axis.machine_axis == no_machine_axis) continue;
    if (axis.turns_head()) {
      take_angle(point, axis, *values[i]);
      continue;
    }
    const double scale = (axis.reversed ? -axis.scale : axis.scale) * unit_mm;
    const double mm = scale * *values[i] + axis.offset_mm;
    point.position_mm[static_cast<std::size_t>(axis.machine_axis)] = mm;
    if (mm < axis.min_mm || mm > axis.max_mm || !std::isfinite(mm))
      note(point, fmt::format("{} = {} mm; allowed: {} to {} mm", machine_axes[axis.machine_axis], mm,
                              axis.min_mm, axis.max_mm));
  }
  return point;
}

}  // namespace datum
