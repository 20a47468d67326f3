// Holes and straight edges of a design by which a board's place can be found ([alignment] of a recipe).
#pragma once

#include <vector>

#include "daemon/design/recipe_draft.h"

namespace datum::design {

/// Round holes of 1 to 10 mm and at least 12 pixels, with nothing in them and bare board around them: no part's body, no pad of a part
/// with several pins, no other hole, not the board's edge. At most six, far from each other, the one farthest from the middle first.
std::vector<Hole> holes_to_find(const Draft& draft, double pitch_mm);

struct StraightEdge {
  Point from = Point::Zero(), to = Point::Zero();
};

/// Straight pieces of the outline, counter-clockwise (the board on their left), of 5 mm and 15 % of the longer side at least. At most
/// eight, the longest.
std::vector<StraightEdge> edges_to_find(const Draft& draft);

}  // namespace datum::design
