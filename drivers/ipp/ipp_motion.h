// What an I++ DME controller is told to move its probe, and what it is never told. Pure text and checks.
//
// Only two moves exist: GoTo along a way that is known to be free, and PtMeas from where the probe stands: its
// approach distance is the whole way, so that the machine measures from its first millimetre on and goes nowhere
// at travel speed. I++ DME 1.4.3, chapter 6.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "drivers/cmm/settings.h"

namespace datum {

/// Throws RefusedError: motion not allowed, a start or target that is no number, outside the box or the axes'
/// limits, along an axis that is fixed, or too far. Machine coordinates in mm.
void check_move(const CmmSettings& settings, const std::array<double, 3>& from_mm,
                const std::array<double, 3>& to_mm);

/// "SetProp(...)", one after the other, before a move.
std::vector<std::string> move_properties(const CmmSettings& settings, const std::array<double, 3>& from_mm,
                                         const std::array<double, 3>& to_mm, bool until_contact);
/// "GoTo(...)" or "PtMeas(...)", in the controller's own coordinates.
std::string move_command(const CmmSettings& settings, const std::array<double, 3>& from_mm,
                         const std::array<double, 3>& to_mm, bool until_contact);

}  // namespace datum
