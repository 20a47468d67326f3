// GRBL commands that move a touch probe. Refused unless the configuration allows motion. Text only; the
// caller sends it.
//
// Every move towards a surface is G38.3, which ends at the first contact and reports [PRB:x,y,z:1], or
// [PRB:..:0] without contact. Only the return from a contact, over the path just passed, is a plain G1.
#pragma once

#include <array>
#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

struct MotionSettings {
  bool allowed = false;          // the machine may move by itself: nobody is within its reach
  double feed_mm_per_min = 100;  // of every move
  double most_mm = 50;           // largest length of one move
};

/// Moves from the current position to `to_mm`, until contact. Machine coordinates as ProbePoint's. Throws
/// RefusedError: motion not allowed, a device other than GRBL, a path longer than most_mm, a target outside
/// the axes' limits, along an axis that the device does not have, or not finite.
std::string grbl_move_until_contact(const CmmSettings& cmm, const MotionSettings& motion,
                                    const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm);

/// Returns over a free path. Throws as grbl_move_until_contact.
std::string grbl_move_back(const CmmSettings& cmm, const MotionSettings& motion,
                           const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm);

}  // namespace datum
