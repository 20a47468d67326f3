// What a recipe demands of a board's coarse alignment: how far a board may lie from its place.
#pragma once

#include <cstdint>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

struct AlignmentRecipe {
  double max_shift_mm = 0;   // along the board's x and y
  double min_ratio = 1.5;    // of the correlation's peak to the next one
  double cell_mm = 0;        // of the picture of its parts; 0: 256 of them along the longer side
  double min_height_um = 0;  // parts from here on are seen; 0: half the lowest nominal height
};

/// The picture's cells in board coordinates: board and max_shift_mm on all sides lie where its window is 1.
struct AlignmentGrid {
  double cell_mm = 0;
  Eigen::Vector2d origin_mm = Eigen::Vector2d::Zero();  // lower left corner of cell (0, 0)
  std::uint32_t cols = 0, rows = 0;                     // powers of two
};
AlignmentGrid alignment_grid(const Recipe& recipe);

/// From where on a part is seen, in um.
double alignment_height_um(const Recipe& recipe);

}  // namespace datum
