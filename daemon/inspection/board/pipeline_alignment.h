// Coarse alignment of a board: correlation of the mask of its parts with the recipe's bodies.
#pragma once

#include <optional>
#include <vector>

#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/site_map.h"

namespace datum {

/// Shift of a board from its place along its own axes, or why it is undetermined.
struct BoardShift {
  std::optional<Refusal> why;
  StepRecord stage;  // processing step "coarse_alignment": settings and numbers, for the verdict
};

/// The recipe must have an alignment. `view` is that of the recipe's placement.
BoardShift board_shift(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                       const Backend& backend);

/// The shifted placement if one of these steps found a shift; otherwise `placement`.
Htm<Board, Sensor> moved(const Htm<Board, Sensor>& placement, const std::vector<StepRecord>& stages);

}  // namespace datum
