// Paths of PtMeas of I++ DME for its parameters, and the parameters that keep the tip in free space. Pure
// computation.
//
// I++ DME 1.4.3, 6.3.2.13: the machine moves at travel speed to nominal + (Approach + Part.Approach +
// Tool.Radius) IJK, from there at probing speed against IJK until contact, at most Search (+ Part.Search)
// beyond the nominal, and after the contact back along IJK by Retract (+ Part.Retract). Controllers differ:
// some add no radius, since their nominal refers to the tip's centre, and some retract to the end of the
// approach. All of these paths are checked together.
//
// s along the path, 0 at the tip's start:
//   -behind ... approach ends ... 0 ... ahead ... contact ... nominal ... search ends
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/settings.h"

namespace datum {

/// Limits of a machine's property; open where it reports none.
struct IppRange {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
};

/// mm, mm/s. As reported for the active tool and the part.
struct IppLimits {
  IppRange travel_speed, probing_speed, approach, search, retract;
  std::optional<double> part_approach, part_search, part_retract,
      tool_radius;  // none: not reported
};

/// Parameters of a touch. Lengths in mm, speeds in mm/s.
struct IppTouch {
  double travel_speed = 0, probing_speed = 0, approach = 0, search = 0, retract = 0;
};

/// Range of the tip's centre along the path from its start.
struct IppTouchWay {
  std::array<double, 3> nominal_mm{}, direction{};     // the direction points to the wall: -IJK
  double approach_least_mm = 0, approach_most_mm = 0;  // end of the approach
  double search_mm = 0;                                // farthest end of the search
  double asked_mm = 0;                                 // end of the search requested by the caller
  /// Farthest retraction after a contact at the nearest contact position.
  double rest_least_mm = 0;
};

/// The speed to set: the wanted one, or the machine's fastest. Throws RefusedError where its slowest exceeds
/// it.
double speed_within(const IppRange& range, double wanted_mm_s, const char* key);
/// Throws RefusedError where the speed read back exceeds the wanted one, or is not positive.
void check_speed(double told_mm_s, double wanted_mm_s, const char* key);
/// Parameters for this path. Throws RefusedError where the machine's limits allow no values that keep the tip
/// free.
IppTouch plan_touch(const CmmSettings& settings, const IppLimits& limits,
                    const std::array<double, 3>& from_mm, const ProbeWay& way);
/// The path resulting from the values read back. Throws RefusedError that names the value: the tip would
/// leave the box, or the bore anywhere except at the contact, or move faster than the configuration allows.
IppTouchWay touch_way(const CmmSettings& settings, const IppLimits& limits, const IppTouch& values,
                      const std::array<double, 3>& from_mm, const ProbeWay& way);
/// Why the tip's position after this touch is not where the touch leads, as read back; empty: it is.
std::string rests_elsewhere(const CmmSettings& settings, const IppLimits& limits, const IppTouch& values,
                            const IppTouchWay& touch, const std::array<double, 3>& contact_mm,
                            const std::array<double, 3>& at_mm);
/// "Approach 1 mm, Search 1 mm (0.35 mm beyond what was asked for) ..." for the log.
std::string words_of(const IppTouch& values, const IppTouchWay& touch);

}  // namespace datum
