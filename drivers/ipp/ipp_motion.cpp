#include "drivers/ipp/ipp_motion.h"

#include <fmt/format.h>

#include <cmath>

namespace datum {
namespace {

using Xyz = std::array<double, 3>;
constexpr const char* axis_names = "XYZ";

[[noreturn]] void refuse(const std::string& what) { throw RefusedError("probe motion: " + what); }

double distance_mm(const Xyz& a, const Xyz& b) { return std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]); }

/// As the controller counts, in the order of the axes.
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

/// Out of the material: against the way, in X, Y, Z of the controller.
Xyz normal_of(const CmmSettings& settings, const Xyz& from_mm, const Xyz& to_mm) {
  const std::vector<double> from = shown_of(settings, from_mm), to = shown_of(settings, to_mm);
  Xyz normal{};
  double squares = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    normal.at(static_cast<std::size_t>(settings.axes[i].label[0] - 'X')) = from[i] - to[i];
    squares += (from[i] - to[i]) * (from[i] - to[i]);
  }
  for (double& part : normal) part /= std::sqrt(squares);
  return normal;
}

void check_end(const CmmSettings& settings, const char* which, const Xyz& mm) {
  const IppMotionSettings& motion = *settings.ipp.motion;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(mm[i])) refuse(fmt::format("a {} that is no number", which));
    if (mm[i] >= motion.min_mm[i] && mm[i] <= motion.max_mm[i]) continue;
    refuse(fmt::format("{} {} = {:.4f} mm is outside the box of motion, {} to {} mm", which, axis_names[i],
                       mm[i], motion.min_mm[i], motion.max_mm[i]));
  }
  for (const AxisSettings& axis : settings.axes) {
    const double at = mm.at(static_cast<std::size_t>(axis.machine_axis));
    if (at >= axis.min_mm && at <= axis.max_mm) continue;
    refuse(fmt::format("{} {} = {:.4f} mm is outside its axis, {} to {} mm", which,
                       axis_names[axis.machine_axis], at, axis.min_mm, axis.max_mm));
  }
}

}  // namespace

void check_move(const CmmSettings& settings, const Xyz& from_mm, const Xyz& to_mm) {
  if (!settings.ipp.motion)
    refuse("not allowed; the cell's configuration must allow it, and nobody be in reach");
  check_end(settings, "start", from_mm);
  check_end(settings, "target", to_mm);
  for (std::size_t i = 0; i < 3; ++i)
    if (settings.fixed_mm[i] && from_mm[i] != to_mm[i])
      refuse(fmt::format("the device has no axis {}", axis_names[i]));
  const double way_mm = distance_mm(from_mm, to_mm);
  if (way_mm > settings.ipp.motion->most_mm)
    refuse(fmt::format("{:.3f} mm at once; allowed: {} mm", way_mm, settings.ipp.motion->most_mm));
}

std::vector<std::string> move_properties(const CmmSettings& settings, const Xyz& from_mm, const Xyz& to_mm,
                                         bool until_contact) {
  const IppMotionSettings& motion = *settings.ipp.motion;
  if (!until_contact) return {fmt::format("SetProp(Tool.GoToPar.Speed({}))", motion.speed_mm_s)};
  return {fmt::format("SetProp(Tool.PtMeasPar.Speed({}))", motion.probing_speed_mm_s),
          fmt::format("SetProp(Tool.PtMeasPar.Approach({:.5f}))", distance_mm(from_mm, to_mm)),
          "SetProp(Tool.PtMeasPar.Search(0))"};
}

std::string move_command(const CmmSettings& settings, const Xyz& from_mm, const Xyz& to_mm,
                         bool until_contact) {
  const std::string target = words(settings, shown_of(settings, to_mm));
  if (!until_contact) return "GoTo(" + target + ")";
  const Xyz n = normal_of(settings, from_mm, to_mm);
  return fmt::format("PtMeas({}, IJK({:.6f}, {:.6f}, {:.6f}))", target, n[0], n[1], n[2]);
}

}  // namespace datum
