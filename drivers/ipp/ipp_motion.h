// Motion commands to an I++ DME controller, and their limits. Text and checks only.
//
// Only two moves exist: GoTo along a path known to be free, and PtMeas with every segment checked
// (ipp_touch.h). I++ DME 1.4.3, chapter 6.
#pragma once

#include <array>
#include <string>

#include "drivers/ipp/ipp_touch.h"

namespace datum {

/// Path without contact: checking its ends suffices, since box and room are convex. Throws RefusedError:
/// motion not allowed, a start or target that is not finite, a tip that would leave the box, the axes' limits
/// or the room, an axis that is fixed, too long. Path until contact: the same without the room, which
/// touch_way() checks.
void check_move(const CmmSettings& settings, const std::array<double, 3>& from_mm, const ProbeWay& way);
/// Throws RefusedError where a tip of this radius leaves the box, or its centre the axes' limits. `which`
/// names the place.
void check_box(const CmmSettings& settings, double tip_radius_mm, const std::string& which,
               const std::array<double, 3>& centre_mm);

/// Throws RefusedError: "probe motion: WHAT".
[[noreturn]] void refuse_motion(const std::string& what);
double way_length_mm(const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm);

/// "GoTo(...)", in the controller's coordinates.
std::string go_to_command(const CmmSettings& settings, const std::array<double, 3>& to_mm);
/// "PtMeas(...)": nominal and IJK.
std::string touch_command(const CmmSettings& settings, const IppTouchWay& touch);

}  // namespace datum
