#include "drivers/cmm/probe_limits.h"

#include <fmt/format.h>

#include <cmath>

namespace datum {
namespace {

using Xyz = std::array<double, 3>;

}  // namespace

void refuse_motion(const std::string& what) { throw RefusedError("probe motion: " + what); }

double way_length_mm(const Xyz& from_mm, const Xyz& to_mm) {
  return std::hypot(to_mm[0] - from_mm[0], to_mm[1] - from_mm[1], to_mm[2] - from_mm[2]);
}

void check_box(const CmmSettings& settings, const ProbeMotionSettings& motion, double tip_radius_mm,
               const std::string& which, const Xyz& mm) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(mm[i])) refuse_motion(fmt::format("a {} that is no number", which));
    if (mm[i] - tip_radius_mm >= motion.min_mm[i] && mm[i] + tip_radius_mm <= motion.max_mm[i]) continue;
    refuse_motion(fmt::format(
        "{} {} = {:.4f} mm, with the tip's radius of {:g} mm, is outside the box of motion, {} to {} mm",
        which, machine_axes[i], mm[i], tip_radius_mm, motion.min_mm[i], motion.max_mm[i]));
  }
  for (const AxisSettings& axis : settings.axes) {
    if (!axis.moves_stage()) continue;
    const double at = mm.at(static_cast<std::size_t>(axis.machine_axis));
    if (at >= axis.min_mm && at <= axis.max_mm) continue;
    refuse_motion(fmt::format("{} {} = {:.4f} mm is outside its axis, {} to {} mm", which,
                              machine_axes[axis.machine_axis], at, axis.min_mm, axis.max_mm));
  }
}

void check_move(const CmmSettings& settings, const ProbeMotionSettings& motion, const Xyz& from_mm,
                const ProbeWay& way) {
  check_box(settings, motion, way.room.tip_radius_mm, "start", from_mm);
  check_box(settings, motion, way.room.tip_radius_mm, "target", way.to_mm);
  for (std::size_t i = 0; i < 3; ++i)
    if (settings.fixed_mm[i] && from_mm[i] != way.to_mm[i])
      refuse_motion(fmt::format("the device has no axis {}", machine_axes[i]));
  const double way_mm = way_length_mm(from_mm, way.to_mm);
  if (way_mm > motion.most_mm)
    refuse_motion(fmt::format("{:.3f} mm at once; allowed: {} mm", way_mm, motion.most_mm));
  if (way.until_contact) return;
  if (const std::string why = not_free(way.room, from_mm, way.to_mm); !why.empty()) refuse_motion(why);
}

void check_touch(const ProbeRoom& room, const Xyz& from_mm, const Xyz& to_mm) {
  const bool deep = height_mm(room, from_mm) < -room.depth_mm - room_slack_mm ||
                    height_mm(room, to_mm) < -room.depth_mm - room_slack_mm;
  if (off_axis_mm(room, from_mm) > room.free_mm + room_slack_mm || deep)
    refuse_motion(fmt::format(
        "a touch would begin {:.3f} mm off the bore's axis and {:.3f} mm above its surface; free: "
        "within {:.3f} mm, down to {:.3f} mm below",
        off_axis_mm(room, from_mm), height_mm(room, from_mm), room.free_mm, room.depth_mm));
  if (off_axis_mm(room, to_mm) > room.touch_mm + room_slack_mm)
    refuse_motion(
        fmt::format("a touch would lead {:.3f} mm off the bore's axis; its wall is expected within {:.3f} mm",
                    off_axis_mm(room, to_mm), room.touch_mm));
}

}  // namespace datum
