// A design as one side of the board is seen, in a recipe's board coordinates.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/design/design.h"

namespace datum::design {

/// How a board is turned over for its bottom side: about the vertical axis (left-right) or the horizontal one (front-back).
enum class Turn : std::uint8_t { vertical, horizontal };

/// Origin at the lower left corner of the outline's box as seen, x right, y up. Rotations of the side's components are those
/// seen. Throws DesignError where the design has no outline.
Design seen_from(Design design, Side side, Turn turn);

/// Place of the board in a panel's column and row, from 1, less that in column and row 1, for a board that lies turned by
/// `rotation_deg`: what its recipe's origin moves by. Throws DesignError: the file has no panel, or several; no such column or row; the
/// panel shows these boards from their other side.
Point instance_offset(const Design& design, int column, int row, Side side, Turn turn, double rotation_deg);

/// Origins of a panel's boards over its lower left corner, along the axes of a board.
struct PanelPlaces {
  Point size_mm = Point::Zero();
  Point first_mm = Point::Zero();                     // origin of board 1,1
  std::vector<std::pair<std::string, Point>> places;  // "COLUMN-ROW"
};

/// Places of the design's one panel, of boards of `board_mm`. Throws DesignError as instance_offset().
PanelPlaces panel_places(const Design& design, const Point& board_mm, Side side, Turn turn);

}  // namespace datum::design
