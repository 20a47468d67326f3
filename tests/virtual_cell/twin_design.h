// The digital twin of a board's surface from its design: copper, mask, pads, legend and holes as levels.
#pragma once

#include "daemon/design/board_side.h"
#include "tests/virtual_cell/twin_board.h"

namespace datum {

/// Levels over the bare mask on laminate, um (typical of a reflowed board with 35 um of copper).
struct TwinLevels {
  double masked_copper_um = 25;  // 35 of copper, and 10 less of mask than on laminate
  double pad_um = 60;            // copper, finish and solder over the mask around it
  double opening_um = -20;       // laminate without mask
  double legend_um = 15;         // over what lies under it
  double via_um = -10;           // a tented via's dimple below masked copper
};

/// `seen`: the design as this side of it is seen (seen_from).
TwinRelief relief_of(const design::Design& seen, design::Side side, const TwinLevels& levels);

/// Lays the relief under the board and stands each body on the level that covers most of its surroundings, bare mask or masked
/// copper: its height is then over the floor that a ring sees.
void lay_relief(TwinRelief relief, const TwinLevels& levels, TwinBoard& board);

/// Of the file's board, turned over so that `side` is seen, at the usual levels. Throws design::DesignError, and
/// std::runtime_error where this build has no readers of designs.
void lay_design(const std::string& file, design::Side side, design::Turn turn, TwinBoard& board);

}  // namespace datum
