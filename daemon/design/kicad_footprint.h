// A footprint of a KiCad board.
#pragma once

#include "daemon/design/design.h"
#include "daemon/design/s_expression.h"

namespace datum::design::kicad {

/// Settings of the board that footprints fall back to.
struct BoardSetup {
  double mask_margin_mm = 0;
};

/// Adds the component, its holes, and what it draws on copper, mask and silkscreen; lines on Edge.Cuts go to `edges`. Both sides:
/// x = X + turned(p, R) with y up, as bottom footprints are stored already mirrored (PLACEMENT: 4,869 pads within 1 um).
void read_footprint(const SExpression::List& footprint, const BoardSetup& setup, Design& design,
                    std::vector<Polygon>& edges);

/// Adds a shape drawn on an outer copper, mask or silkscreen layer of the design.
void add_drawn(const SExpression::List& list, const Polygon& points, bool closed, bool filled, double width,
               Design& design);

}  // namespace datum::design::kicad
