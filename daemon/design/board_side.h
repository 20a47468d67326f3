// A design as one side of the board is seen, in a recipe's board coordinates.
#pragma once

#include "daemon/design/design.h"

namespace datum::design {

/// How a board is turned over for its bottom side: about the vertical axis (left-right) or the horizontal one (front-back).
enum class Turn : std::uint8_t { vertical, horizontal };

/// Origin at the lower left corner of the outline's box as seen, x right, y up. Rotations of the side's components are those
/// seen. Throws DesignError where the design has no outline.
Design seen_from(Design design, Side side, Turn turn);

}  // namespace datum::design
