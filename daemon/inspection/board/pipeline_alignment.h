// Where a board lies that was not put exactly in its place: the mask of its parts against that of the recipe's bodies.
#pragma once

#include <optional>
#include <vector>

#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/site_map.h"

namespace datum {

/// How far a board lies from its place, along its own axes, or why that can't be told.
struct BoardShift {
  std::optional<Refusal> why;
  StepRecord stage;  // "coarse_alignment": settings and numbers, for the verdict
};

/// The recipe has an alignment. `view` is that of the recipe's placement.
BoardShift board_shift(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                       const Backend& backend);

/// The placement of a board that a stage among these found shifted; otherwise `placement`.
Htm<Board, Sensor> moved(const Htm<Board, Sensor>& placement, const std::vector<StepRecord>& stages);

}  // namespace datum
