// Limits of commanded motion, for any machine: the box, the axes, the length of a move, and the room in which the tip is free.
// Pure computation; machine coordinates, mm.
#pragma once

#include <array>
#include <string>

#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/settings.h"

namespace datum {

/// Throws RefusedError: "probe motion: WHAT".
[[noreturn]] void refuse_motion(const std::string& what);
double way_length_mm(const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm);

/// Throws RefusedError where a tip of this radius leaves the box, or its centre the axes' limits. `which` names the place.
void check_box(const CmmSettings& settings, const ProbeMotionSettings& motion, double tip_radius_mm,
               const std::string& which, const std::array<double, 3>& centre_mm);
/// Path without contact: checking its ends suffices, since box and room are convex. Throws RefusedError: a start or target that
/// is not finite, a tip that would leave the box, the axes' limits or the room, an axis that is fixed, too long. Path until
/// contact: the same without the room.
void check_move(const CmmSettings& settings, const ProbeMotionSettings& motion,
                const std::array<double, 3>& from_mm, const ProbeWay& way);
/// Path until contact of a machine that goes straight to the target and stops at the contact. Throws RefusedError where it
/// does not begin in the bore's free space, or may lead past where the wall is expected.
void check_touch(const ProbeRoom& room, const std::array<double, 3>& from_mm,
                 const std::array<double, 3>& to_mm);

}  // namespace datum
