// Two levels of equal size: a step along a straight line through a ring, searched in the levels of its tiles.
// A plane tilts to follow such a step and hides most of it in the pixels' residuals. Lengths in um.
#pragma once

#include "daemon/inspection/board/tile_form.h"

namespace datum {

struct TileStep {
  double um = 0;       // height of the step, absolute
  double u_um = 0;     // its standard uncertainty
  double smaller = 0;  // pixels of the smaller part over those of the larger
  /// Significant: about 16 independent steps are tested, and white noise exceeds 4 in one of about 500 rings.
  bool shown() const { return um > 4 * u_um; }
};

/// The step that explains most of a quadratic's residuals over the tiles, among 16 directions and parts of a
/// sixth to a half of the pixels; 0 where the tiles determine none. u from the tiles' scatter about quadratic
/// and step, at least from a pixel's noise and its correlation, from each tile's expected form, and, for a
/// step that would otherwise be significant, from the correlation of neighbouring tiles.
TileStep step_among(const FittedTiles& tiles, double noise_um, double correlation, double expected_form_um);

}  // namespace datum
