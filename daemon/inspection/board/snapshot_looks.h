// Rows of one board that several snapshots show.
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/board/board_look.h"

namespace datum {

/// Each component as the look that shows it best has it, compared with the next best; the form and foreign objects from all. At least
/// one look, all of the board of `in.recipe`. `names`: of the looks; `missing`: words of the snapshots that can't be measured.
BoardVerdict judge_looks(BoardVerdict v, const std::vector<const BoardLook*>& looks,
                         const std::vector<std::string>& names, const std::string& missing,
                         const InspectionInputs& in);

}  // namespace datum
