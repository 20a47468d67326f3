// Motion commands to an I++ DME controller, and their limits. Text and checks only.
//
// Only two moves exist: GoTo along a path known to be free, and PtMeas with every segment checked
// (ipp_touch.h). I++ DME 1.4.3, chapter 6.
#pragma once

#include <array>
#include <string>

#include "drivers/cmm/probe_limits.h"
#include "drivers/ipp/ipp_touch.h"

namespace datum {

/// The limits of [cmm.ipp.motion] (drivers/cmm/probe_limits.h); throws RefusedError where motion is not allowed. What a path
/// until contact may touch: touch_way().
void check_move(const CmmSettings& settings, const std::array<double, 3>& from_mm, const ProbeWay& way);
void check_box(const CmmSettings& settings, double tip_radius_mm, const std::string& which,
               const std::array<double, 3>& centre_mm);

/// "GoTo(...)", in the controller's coordinates.
std::string go_to_command(const CmmSettings& settings, const std::array<double, 3>& to_mm);
/// "PtMeas(...)": nominal and IJK.
std::string touch_command(const CmmSettings& settings, const IppTouchWay& touch);

}  // namespace datum
