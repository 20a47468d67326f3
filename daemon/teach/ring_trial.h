// Margins of the floor's ring, tried on golden boards.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "daemon/teach/golden_board.h"
#include "daemon/teach/proposal_file.h"

namespace datum::teach {

/// Measures the boards by a recipe.
using MeasureBoards = std::function<std::vector<GoldenBoard>(const Recipe&)>;

/// Inner margins of a half to twice the recipe's and widths of 0.6 to 1.4 times its own are measured; the margins with the most
/// values, then with the least median standard uncertainty (narrower ones where it is less than a hundredth larger). None: the recipe's own are as good (no more values, and less than a
/// twentieth of the uncertainty to gain).
std::optional<RingProposal> tried_rings(const Recipe& recipe, const MeasureBoards& measure);

}  // namespace datum::teach
