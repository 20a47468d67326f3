// A recipe's settings of a board's coarse alignment: how far a board may lie from its place.
#pragma once

#include <cstdint>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

struct AlignmentRecipe {
  double max_shift_mm = 0;   // along the board's x and y
  double min_ratio = 1.5;    // of the correlation's peak over the second peak
  double cell_mm = 0;        // cell of the map of parts; 0: 256 cells along the longer side
  double min_height_um = 0;  // parts from this height on are visible; 0: half the lowest nominal height
};

/// Cells of the map in board coordinates. Board and max_shift_mm on all sides lie where its window is 1.
struct AlignmentGrid {
  double cell_mm = 0;
  Eigen::Vector2d origin_mm = Eigen::Vector2d::Zero();  // lower left corner of cell (0, 0)
  std::uint32_t cols = 0, rows = 0;                     // powers of two
};
AlignmentGrid alignment_grid(const Recipe& recipe);

/// Height in um from which a part is visible.
double alignment_height_um(const Recipe& recipe);

}  // namespace datum
