// Inspection of a panel: each board is placed, and judged as if it lay alone; all are measured in one call.
#pragma once

#include <optional>

#include "daemon/inspection/board/board_in_hand.h"
#include "daemon/inspection/recipe/panel_recipe.h"

namespace datum {

/// What a delivery or a host states of boards must fit the recipe, or serial numbers would belong to other boards.
std::optional<Refusal> statement_refusal(const PanelRecipe& panel, const PanelStatement& stated);

/// Verdict of the panel: that of its worst board, of those that are not skipped. `v` is its identity, `raw` the frame as
/// delivered where `frame` is filtered, else null: bad-board marks are measured in it.
BoardVerdict inspect_panel(BoardVerdict v, const HeightFrame& frame, const HeightFrame* raw,
                           const InspectionInputs& in, BoardMeasurer& measurer);

}  // namespace datum
