// Whether boards are golden: each against the recipe and against the others.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "daemon/teach/golden_board.h"

namespace datum::teach {

/// Why each board is no golden one; empty: nothing found. A board is named where it is INVALID as a whole, lies turned or beside its
/// place, is noisier than the recipe allows against the others (one alone: against the sensor's profile), where a fifth of its parts
/// is not as the recipe says, or where a tenth of the parts, at least two, are odd on it. `odd`: the parts whose findings name it.
/// Where two boards contradict each other both are named.
std::vector<std::string> board_faults(const Recipe& recipe, const SensorProfile& sensor,
                                      const std::vector<GoldenBoard>& boards,
                                      const std::vector<std::set<std::string>>& odd);

/// Throws std::invalid_argument where two frames are the same one, or state the same unit: one board twice has no spread, and its
/// limits would be too narrow.
void refuse_repeated(const std::vector<GoldenBoard>& boards);

}  // namespace datum::teach
