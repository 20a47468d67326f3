// Bodies that stand on a board and are in no recipe: connected regions above the board's own surface.
#pragma once

#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/recipe/recipe.h"
#include "drivers/frame/height_frame.h"

namespace datum::teach {

struct BareRegion {
  BoardRect rect;        // the smallest rectangle around it, in steps of a degree
  double height_um = 0;  // median over the board's surface
};

/// Regions higher than `above_um` outside the recipe's components (with [floor] neighbour_margin_mm around them) and at least that
/// margin from the board's edge, cut at half of their own height. The board's surface is a quadratic through the pixels near the
/// most frequent height: it must be most of what is seen. Left out: regions too small for [body] erode_px and min_pixels. In the
/// order of their place, by y, then x. `threads` does not change the result.
std::vector<BareRegion> bare_regions(const Recipe& recipe, const HeightFrame& frame,
                                     const Htm<Board, Sensor>& board_from_sensor, double above_um,
                                     unsigned threads);

}  // namespace datum::teach
