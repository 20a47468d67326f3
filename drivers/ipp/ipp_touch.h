// What PtMeas of I++ DME does with its parameters, and which of them keep the tip where it is free. Pure reckoning.
//
// I++ DME 1.4.3, 6.3.2.13: the machine goes at travel speed to nominal + (Approach + Part.Approach + Tool.Radius) IJK, from
// there at probing speed against IJK until contact, at most Search (+ Part.Search) beyond the nominal, and from the contact
// back along IJK by Retract (+ Part.Retract). Controllers differ: some add no radius, since their nominal is of the tip's
// centre, and some retract to where the approach ended. All of these ways are reckoned with at once.
//
//   s along the way, 0 where the tip stands:   -behind ... approach ends ... 0 ... ahead ... contact ... nominal ... search ends
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/settings.h"

namespace datum {

/// What a machine takes; open where it tells no limit.
struct IppRange {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
};

/// mm, mm/s. As the machine tells them of its active tool and of the part.
struct IppLimits {
  IppRange travel_speed, probing_speed, approach, search, retract;
  std::optional<double> part_approach, part_search, part_retract,
      tool_radius;  // none: the machine tells none
};

/// Of a touch. Lengths in mm, speeds in mm/s.
struct IppTouch {
  double travel_speed = 0, probing_speed = 0, approach = 0, search = 0, retract = 0;
};

/// Where the tip's centre may come to stand, along the way from its start.
struct IppTouchWay {
  std::array<double, 3> nominal_mm{}, direction{};     // the direction leads to the wall: -IJK
  double approach_least_mm = 0, approach_most_mm = 0;  // where the approach ends
  double search_mm = 0;                                // farthest end of the search
  double asked_mm = 0;                                 // where the caller wanted it to end
  double rest_least_mm = 0;                            // farthest back after a contact where contacts begin
};

/// The speed to be set: as wanted, or what the machine's fastest is. Throws RefusedError where its slowest is faster.
double speed_within(const IppRange& range, double wanted_mm_s, const char* key);
/// Throws RefusedError: a speed that was read back and is more than wanted, or none.
void check_speed(double told_mm_s, double wanted_mm_s, const char* key);
/// What is to be set for this way. Throws RefusedError: the machine's limits leave no values that keep the tip free.
IppTouch plan_touch(const CmmSettings& settings, const IppLimits& limits,
                    const std::array<double, 3>& from_mm, const ProbeWay& way);
/// What the machine will do with the values that were read back from it. Throws RefusedError that names the value: the tip
/// would leave the box, or the bore anywhere but at the contact, or move faster than the configuration allows.
IppTouchWay touch_way(const CmmSettings& settings, const IppLimits& limits, const IppTouch& values,
                      const std::array<double, 3>& from_mm, const ProbeWay& way);
/// Why the tip does not stand where this touch leads to, read back after it; empty: it does.
std::string rests_elsewhere(const CmmSettings& settings, const IppLimits& limits, const IppTouch& values,
                            const IppTouchWay& touch, const std::array<double, 3>& contact_mm,
                            const std::array<double, 3>& at_mm);
/// "Approach 1 mm, Search 1 mm (0.35 mm beyond what was asked for) ..." for the log.
std::string words_of(const IppTouch& values, const IppTouchWay& touch);

}  // namespace datum
