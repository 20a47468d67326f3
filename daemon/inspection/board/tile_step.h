// Two levels of equal right: a step along a straight line through a ring, sought in the levels of its tiles. A plane tilts to
// follow such a step and hides most of it from the pixels' residuals. Lengths in um.
#pragma once

#include "daemon/inspection/board/tile_form.h"

namespace datum {

struct TileStep {
  double um = 0;       // of the parts' levels, as an amount
  double u_um = 0;     // its standard uncertainty
  double smaller = 0;  // pixels of the smaller part over those of the larger
  /// The step is no chance: some 16 independent steps are looked at, and white noise shows one ring of some 500 beyond 4.
  bool shown() const { return um > 4 * u_um; }
};

/// The step that explains most of what a quadratic through the tiles leaves, of 16 directions and parts of a sixth to a half
/// of the pixels; 0 where the tiles determine none. u from the tiles' scatter about quadratic and step, at least what noise
/// of a pixel and its correlation give, from the form that is expected of each tile, and, for a step that would be shown
/// without it, from what neighbouring tiles share.
TileStep step_among(const FittedTiles& tiles, double noise_um, double correlation, double expected_form_um);

}  // namespace datum
