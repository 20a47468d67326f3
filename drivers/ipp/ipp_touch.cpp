#include "drivers/ipp/ipp_touch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drivers/ipp/ipp_motion.h"

namespace datum {
namespace {

using Xyz = std::array<double, 3>;

// Ten nanometres: the wire's last digit.
constexpr double slack_mm = 1e-5;

Xyz along(const Xyz& from, const Xyz& direction, double mm) {
  return {from[0] + mm * direction[0], from[1] + mm * direction[1], from[2] + mm * direction[2]};
}

/// The requested path, and the free room around its start.
struct Course {
  Xyz direction{};
  double asked_mm = 0, radius_mm = 0;
  FreeWay free;
};

Course course_of(const IppLimits& limits, const Xyz& from, const ProbeWay& way) {
  Course c;
  c.asked_mm = way_length_mm(from, way.to_mm);
  if (!(c.asked_mm > slack_mm)) refuse_motion("a touch that leads nowhere");
  for (std::size_t i = 0; i < 3; ++i) c.direction[i] = (way.to_mm[i] - from[i]) / c.asked_mm;
  c.radius_mm = std::max(way.room.tip_radius_mm, limits.tool_radius.value_or(0));
  const auto free = free_way(way.room, from, c.direction);
  if (!free)
    refuse_motion("the touch does not begin where the tip is free: " + not_free(way.room, from, from));
  c.free = *free;
  return c;
}

/// A parameter of the part: one that the machine does not report is 0 since StartSession.
double part(const std::optional<double>& told, const char* name) {
  const double value = told.value_or(0);
  if (!(value >= 0) || !std::isfinite(value))
    refuse_motion(fmt::format("the machine's {} is {:g} mm; allowed: 0 or more", name, value));
  return value;
}

double within(const IppRange& range, double wanted) {
  return std::min(std::max(wanted, range.min), range.max);
}

}  // namespace

double speed_within(const IppRange& range, double wanted, const char* key) {
  if (wanted < range.min)
    refuse_motion(
        fmt::format("cmm.ipp.motion.{} = {:g}; the machine's slowest is {:g} mm/s", key, wanted, range.min));
  return std::min(wanted, range.max);
}

void check_speed(double told, double wanted, const char* key) {
  constexpr double wire_mm_s = 1e-5;  // five decimals
  if (told > 0 && told <= wanted + wire_mm_s) return;
  refuse_motion(
      fmt::format("the machine would move at {:g} mm/s; cmm.ipp.motion.{} = {:g}", told, key, wanted));
}

IppTouch plan_touch(const CmmSettings& settings, const IppLimits& limits, const Xyz& from,
                    const ProbeWay& way) {
  const ProbeMotionSettings& motion = *settings.ipp.motion;
  const Course c = course_of(limits, from, way);
  IppTouch t;
  t.travel_speed = speed_within(limits.travel_speed, motion.speed_mm_s, "speed_mm_per_s");
  t.probing_speed = speed_within(limits.probing_speed, motion.probing_speed_mm_s, "probing_speed_mm_per_s");
  const double behind_nominal_mm =
      part(limits.part_approach, "Part.Approach") + std::min(c.radius_mm, c.free.ahead_mm);
  t.approach = within(limits.approach, std::max(0.0, c.asked_mm - behind_nominal_mm));
  // A machine that adds the radius ends its search earlier by that amount.
  t.search = within(limits.search, std::max(0.0, c.asked_mm + c.radius_mm - t.approach - behind_nominal_mm));
  t.retract = within(limits.retract, c.free.ahead_mm);
  touch_way(settings, limits, t, from, way);
  return t;
}

IppTouchWay touch_way(const CmmSettings& settings, const IppLimits& limits, const IppTouch& t,
                      const Xyz& from, const ProbeWay& way) {
  const ProbeMotionSettings& motion = *settings.ipp.motion;
  const Course c = course_of(limits, from, way);
  check_speed(t.travel_speed, motion.speed_mm_s, "speed_mm_per_s");
  check_speed(t.probing_speed, motion.probing_speed_mm_s, "probing_speed_mm_per_s");
  for (const double value : {t.approach, t.search, t.retract})
    if (!(value >= 0) || !std::isfinite(value))
      refuse_motion(fmt::format("Approach {:g}, Search {:g}, Retract {:g} mm; each must be 0 or more",
                                t.approach, t.search, t.retract));
  const double extra_mm = part(limits.part_approach, "Part.Approach");
  const double radius_ahead_mm = std::min(c.radius_mm, c.free.ahead_mm);
  const double nominal_mm = t.approach + extra_mm + radius_ahead_mm;
  IppTouchWay w;
  w.direction = c.direction;
  w.nominal_mm = along(from, c.direction, nominal_mm);
  w.asked_mm = c.asked_mm;
  w.approach_most_mm = radius_ahead_mm;
  w.approach_least_mm = radius_ahead_mm - c.radius_mm;
  w.search_mm = nominal_mm + t.search + part(limits.part_search, "Part.Search");
  w.rest_least_mm = c.free.ahead_mm - t.retract - part(limits.part_retract, "Part.Retract");
  if (w.approach_least_mm < -c.free.behind_mm - slack_mm)
    refuse_motion(fmt::format(
        "the machine backs away by {:.3f} mm before the touch (Tool.Radius {:g}); free: {:.3f} mm",
        -w.approach_least_mm, c.radius_mm, c.free.behind_mm));
  if (w.rest_least_mm < -c.free.behind_mm - slack_mm)
    refuse_motion(fmt::format(
        "Retract {:g} mm{} leads to the other side of the bore: free are {:.3f} mm behind the contact{}",
        t.retract,
        limits.part_retract.value_or(0) > 0 ? fmt::format(" and Part.Retract {:g} mm", *limits.part_retract)
                                            : "",
        c.free.ahead_mm + c.free.behind_mm,
        limits.retract.min > 0 ? fmt::format("; the machine's least is {:g}", limits.retract.min) : ""));
  if (nominal_mm - c.radius_mm + t.search < c.asked_mm - slack_mm)
    refuse_motion(fmt::format(
        "the machine searches {:.3f} mm far; the wall may be {:.3f} mm away (Approach {:g}, Search {:g})",
        nominal_mm - c.radius_mm + t.search, c.asked_mm, t.approach, t.search));
  if (w.search_mm > motion.most_mm)
    refuse_motion(fmt::format("{:.3f} mm at once; allowed: {} mm", w.search_mm, motion.most_mm));
  const double least_mm = std::min({0.0, w.approach_least_mm, w.rest_least_mm});
  check_box(settings, way.room.tip_radius_mm, "the touch's way back", along(from, c.direction, least_mm));
  check_box(settings, way.room.tip_radius_mm, "the end of the search", along(from, c.direction, w.search_mm));
  return w;
}

std::string rests_elsewhere(const CmmSettings& settings, const IppLimits& limits, const IppTouch& t,
                            const IppTouchWay& w, const Xyz& contact, const Xyz& at) {
  const double allowed_um = settings.ipp.motion->arrival_um;
  const auto near_um = [&](double s0, double s1, const Xyz& from) {
    // The nearest point between from + s0 and from + s1 along the path.
    double s = 0;
    for (std::size_t i = 0; i < 3; ++i) s += (at[i] - from[i]) * w.direction[i];
    return 1000 * way_length_mm(at, along(from, w.direction, std::clamp(s, s0, s1)));
  };
  const double extra_mm = limits.part_retract.value_or(0);
  const double nominal_to_approach_mm = t.approach + limits.part_approach.value_or(0);
  const double retracted_um = near_um(-t.retract - extra_mm, -t.retract, contact);
  const double radius_mm = w.approach_most_mm - w.approach_least_mm;
  const double approach_um =
      near_um(-nominal_to_approach_mm - radius_mm, -nominal_to_approach_mm, w.nominal_mm);
  if (std::min(retracted_um, approach_um) <= allowed_um) return "";
  return fmt::format("after the touch it stands {:.0f} um from where Retract {:g} mm leads; allowed: {} um",
                     std::min(retracted_um, approach_um), t.retract, allowed_um);
}

std::string words_of(const IppTouch& t, const IppTouchWay& w) {
  const double beyond_mm = w.search_mm - w.asked_mm;
  return fmt::format(
      "Approach {:g} mm, Search {:g} mm{}, Retract {:g} mm, {:g} mm/s, until contact {:g} mm/s", t.approach,
      t.search,
      beyond_mm > slack_mm ? fmt::format(" (to {:.3f} mm beyond what was asked for)", beyond_mm) : "",
      t.retract, t.travel_speed, t.probing_speed);
}

}  // namespace datum
