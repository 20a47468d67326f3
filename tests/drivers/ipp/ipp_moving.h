// A cell with permission to move its probe over I++ DME, and a bore for it.
#pragma once

#include "drivers/ipp/ipp_motion.h"
#include "tests/drivers/ipp/ipp_wire.h"

namespace datum::testing {

using Xyz = std::array<double, 3>;

inline CmmSettings moving_cell() {
  CmmSettings s = ipp_cell();
  ProbeMotionSettings& motion = s.ipp.motion.emplace();
  motion.speed_mm_s = 20;
  motion.probing_speed_mm_s = 2;
  motion.min_mm = {0, 0, 0};
  motion.max_mm = {100, 100, 100};
  return s;
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const RefusedError& e) {
    return e.what();
  }
  return "";
}

// A bore about (10, 20) that limits the tip's centre to 4 mm; its surface is at height 31 of the centre.
inline ProbeRoom the_room() {
  ProbeRoom room;
  room.surface_mm = {10, 20, 31};
  room.free_mm = 3.5;
  room.touch_mm = 4.5;
  room.depth_mm = 2;
  room.clear_mm = 0.5;
  room.tip_radius_mm = 0.5;
  return room;
}

inline ProbeWay to(const Xyz& mm, bool until_contact = false) { return {mm, until_contact, the_room()}; }

/// Limits of a reference server: at least 1 mm and 1 mm/s.
inline IppLimits reference_limits() {
  IppLimits limits;
  for (IppRange* range :
       {&limits.travel_speed, &limits.probing_speed, &limits.approach, &limits.search, &limits.retract})
    *range = {1, 100};
  limits.part_approach = limits.part_search = limits.part_retract = 0;
  return limits;
}

}  // namespace datum::testing
