// What GRBL is told to move a touch probe. Off unless the cell's configuration allows it; pure text, sent by
// whoever holds the link.
//
// Every move into the unknown is G38.3: it ends at the first contact and says [PRB:x,y,z:1], or [PRB:..:0]
// where it met nothing. Only the way back from a contact, over ground just passed, is a plain G1.
#pragma once

#include <array>
#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

struct MotionSettings {
  bool allowed = false;          // the machine may move by itself: nobody's hand is in the cell
  double feed_mm_per_min = 100;  // of every move
  double most_mm = 50;           // of one move
};

/// From where the machine stands to `to_mm`, until contact. Machine coordinates as ProbePoint's. Throws
/// RefusedError: motion not allowed, another device than GRBL, a way longer than most_mm, a target outside
/// the axes' limits, along an axis that the device does not have, or that is no number.
std::string grbl_move_until_contact(const CmmSettings& cmm, const MotionSettings& motion,
                                    const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm);

/// Back over free ground. Throws as grbl_move_until_contact.
std::string grbl_move_back(const CmmSettings& cmm, const MotionSettings& motion,
                           const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm);

}  // namespace datum
