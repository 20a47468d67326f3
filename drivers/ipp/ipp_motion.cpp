#include "drivers/ipp/ipp_motion.h"

#include <fmt/format.h>

#include <cmath>

namespace datum {
namespace {

using Xyz = std::array<double, 3>;

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

void check_box(const CmmSettings& settings, double tip_radius_mm, const std::string& which, const Xyz& mm) {
  check_box(settings, *settings.ipp.motion, tip_radius_mm, which, mm);
}

void check_move(const CmmSettings& settings, const Xyz& from_mm, const ProbeWay& way) {
  if (!settings.ipp.motion)
    refuse_motion(
        "not allowed; the cell's configuration must allow it, and no person may be within its reach");
  check_move(settings, *settings.ipp.motion, from_mm, way);
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
