// Serial numbers of a panel's boards: as a host or the delivery stated them, by the codes on the boards, or by their places ([panel.serial]).
#pragma once

#include <future>
#include <vector>

#include "daemon/cell/board_serial.h"

namespace datum {

/// Looks at the code of each board where it lies by the recipe, or by its stages among `measured` where they found it elsewhere; one finding
/// a place. Not valid: there is nothing to look at. The order's frame and reader outlive it; the rest is read before it returns.
std::future<std::vector<CodeFinding>> look_at_panel_codes(const BoardOrder& order, const InspectionInputs& in,
                                                          const std::vector<PanelBoard>& measured);

/// Gives each board of the measured panel its number. A board without one, with another one than was stated, or with that of another board
/// is INVALID (SERIAL) and has none; a skipped one stays skipped. `found`: empty where the recipe names no code.
void settle_board_numbers(BoardOrder& order, const std::vector<CodeFinding>& found);

}  // namespace datum
