#include "drivers/ipp/ipp_motion.h"

#include <fmt/format.h>

#include <cmath>

namespace datum {
namespace {

using Xyz = std::array<double, 3>;
constexpr const char* axis_names = "XYZ";

/// In the controller's values, in the order of the axes.
std::vector<double> shown_of(const CmmSettings& settings, const Xyz& machine_mm) {
  std::vector<double> shown;
  for (const AxisSettings& axis : settings.axes) {
    const double mm = machine_mm.at(static_cast<std::size_t>(axis.machine_axis));
    shown.push_back((mm - axis.offset_mm) / (axis.reversed ? -axis.scale : axis.scale));
  }
  return shown;
}

std::string words(const CmmSettings& settings, const std::vector<double>& shown) {
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i)
    text += fmt::format("{}{}({:.5f})", i > 0 ? ", " : "", settings.axes[i].label, shown[i]);
  return text;
}

/// Out of the material: opposite to the path, in X, Y, Z of the controller. Each axis has the scale 1
/// (check() demands it).
Xyz normal_of(const CmmSettings& settings, const Xyz& direction) {
  Xyz normal{};
  for (const AxisSettings& axis : settings.axes)
    normal.at(static_cast<std::size_t>(axis.label[0] - 'X')) =
        -direction.at(static_cast<std::size_t>(axis.machine_axis)) / (axis.reversed ? -1 : 1);
  return normal;
}

}  // namespace

void refuse_motion(const std::string& what) { throw RefusedError("probe motion: " + what); }

double way_length_mm(const Xyz& from_mm, const Xyz& to_mm) {
  return std::hypot(to_mm[0] - from_mm[0], to_mm[1] - from_mm[1], to_mm[2] - from_mm[2]);
}

void check_box(const CmmSettings& settings, double tip_radius_mm, const std::string& which, const Xyz& mm) {
  const IppMotionSettings& motion = *settings.ipp.motion;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(mm[i])) refuse_motion(fmt::format("a {} that is no number", which));
    if (mm[i] - tip_radius_mm >= motion.min_mm[i] && mm[i] + tip_radius_mm <= motion.max_mm[i]) continue;
    refuse_motion(fmt::format(
        "{} {} = {:.4f} mm, with the tip's radius of {:g} mm, is outside the box of motion, {} to {} mm",
        which, axis_names[i], mm[i], tip_radius_mm, motion.min_mm[i], motion.max_mm[i]));
  }
  for (const AxisSettings& axis : settings.axes) {
    const double at = mm.at(static_cast<std::size_t>(axis.machine_axis));
    if (at >= axis.min_mm && at <= axis.max_mm) continue;
    refuse_motion(fmt::format("{} {} = {:.4f} mm is outside its axis, {} to {} mm", which,
                              axis_names[axis.machine_axis], at, axis.min_mm, axis.max_mm));
  }
}

void check_move(const CmmSettings& settings, const Xyz& from_mm, const ProbeWay& way) {
  if (!settings.ipp.motion)
    refuse_motion(
        "not allowed; the cell's configuration must allow it, and no person may be within its reach");
  check_box(settings, way.room.tip_radius_mm, "start", from_mm);
  check_box(settings, way.room.tip_radius_mm, "target", way.to_mm);
  for (std::size_t i = 0; i < 3; ++i)
    if (settings.fixed_mm[i] && from_mm[i] != way.to_mm[i])
      refuse_motion(fmt::format("the device has no axis {}", axis_names[i]));
  const double way_mm = way_length_mm(from_mm, way.to_mm);
  if (way_mm > settings.ipp.motion->most_mm)
    refuse_motion(fmt::format("{:.3f} mm at once; allowed: {} mm", way_mm, settings.ipp.motion->most_mm));
  if (way.until_contact) return;
  if (const std::string why = not_free(way.room, from_mm, way.to_mm); !why.empty()) refuse_motion(why);
}

std::string go_to_command(const CmmSettings& settings, const Xyz& to_mm) {
  return "GoTo(" + words(settings, shown_of(settings, to_mm)) + ")";
}

std::string touch_command(const CmmSettings& settings, const IppTouchWay& touch) {
  const Xyz n = normal_of(settings, touch.direction);
  return fmt::format("PtMeas({}, IJK({:.6f}, {:.6f}, {:.6f}))",
                     words(settings, shown_of(settings, touch.nominal_mm)), n[0], n[1], n[2]);
}

}  // namespace datum
