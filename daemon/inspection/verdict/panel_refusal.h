// Refusal of one board of a measured panel.
#pragma once

#include <cstddef>
#include <string>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// A board of the panel is INVALID after it was measured, and so is the panel: the board's rows keep their checks alone. Nothing changes where
/// it is skipped or INVALID as a whole already.
void refuse_board(BoardVerdict& panel, std::size_t board, Reason reason, const std::string& detail);

}  // namespace datum
