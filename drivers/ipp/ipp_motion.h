// What an I++ DME controller is told to move its probe, and what it is never told. Pure text and checks.
//
// Only two moves exist: GoTo along a way that is known to be free, and PtMeas whose every leg was reckoned with
// (ipp_touch.h). I++ DME 1.4.3, chapter 6.
#pragma once

#include <array>
#include <string>

#include "drivers/ipp/ipp_touch.h"

namespace datum {

/// A way without contact: its ends decide, since box and room are convex. Throws RefusedError: motion not allowed, a start
/// or target that is no number, a tip that would leave the box, the axes' limits or the room, an axis that is fixed, too
/// far. A way until contact: the same but for the room, which touch_way() looks at.
void check_move(const CmmSettings& settings, const std::array<double, 3>& from_mm, const ProbeWay& way);
/// Throws RefusedError: a tip of this radius there leaves the box, or its centre the axes' limits. `which` names the place.
void check_box(const CmmSettings& settings, double tip_radius_mm, const std::string& which,
               const std::array<double, 3>& centre_mm);

/// Throws RefusedError: "probe motion: WHAT".
[[noreturn]] void refuse_motion(const std::string& what);
double way_length_mm(const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm);

/// "GoTo(...)", in the controller's own coordinates.
std::string go_to_command(const CmmSettings& settings, const std::array<double, 3>& to_mm);
/// "PtMeas(...)": nominal and IJK.
std::string touch_command(const CmmSettings& settings, const IppTouchWay& touch);

}  // namespace datum
