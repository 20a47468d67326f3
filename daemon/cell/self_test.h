// The kernels against known answers, on the machine that is about to decide.
#pragma once

#include <string>
#include <vector>

#include "gpu/board/board_measurer.h"
#include "gpu/core/backend.h"

namespace datum {

/// One line per failure; empty: the backend gives the known plane, and the same bytes as the scalar code.
std::vector<std::string> kernel_self_test(const Backend& backend);

/// The same of whoever measures boards: a small board with a known plane and a body of known height, and the
/// records of the scalar code. A device prepares itself for that board and, at the next one, for the cell's
/// again.
std::vector<std::string> board_self_test(BoardMeasurer& measurer);

}  // namespace datum
