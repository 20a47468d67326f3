// Picture of a board's recipe without a frame: outline, rings, bodies, what is cut out, what is measured.
#pragma once

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/pictures/page.h"

namespace datum {

/// The board from above, x right, y up; its longer side has `side_px` pixels. A body is filled where its nominal height is
/// confirmed, hatched with its diagonals where not; a mark at the end of +x shows its rotation. Throws std::invalid_argument for the
/// recipe of a surface.
Page draw_recipe(const Recipe& recipe, int side_px = 1600);

}  // namespace datum
