// Inspection of a panel: each board is placed, and judged as if it lay alone; all are measured in one call.
#pragma once

#include <optional>

#include "daemon/inspection/board/board_in_hand.h"
#include "daemon/inspection/recipe/panel_recipe.h"

namespace datum {

/// Verdicts of a panel's boards in the order of its places, and the rows of their marks; no marks: the recipe has none.
struct SeenPanel {
  std::vector<BoardVerdict> boards;
  std::vector<ComponentVerdict> marks;
};

/// What a delivery or a host states of boards must fit the recipe, or serial numbers would belong to other boards.
std::optional<Refusal> statement_refusal(const PanelRecipe& panel, const PanelStatement& stated);

/// A filter changes the heights: each board is measured as delivered as well (account_for_filter).
void combine_with_raw(SeenPanel& seen, const SeenPanel& raw, const PanelRecipe& panel);

/// The panel's verdict from its boards and their marks.
BoardVerdict judge_panel(BoardVerdict v, SeenPanel seen, const PanelStatement& stated,
                         const PanelRecipe& panel);

/// Verdict of the panel: that of its worst board, of those that are not skipped. `v` is its identity, `raw` the frame as
/// delivered where `frame` is filtered, else null: bad-board marks are measured in it.
BoardVerdict inspect_panel(BoardVerdict v, const HeightFrame& frame, const HeightFrame* raw,
                           const InspectionInputs& in, BoardMeasurer& measurer);

}  // namespace datum
