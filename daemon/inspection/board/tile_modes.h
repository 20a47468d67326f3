// The level of each tile of a ring: the mode of its pixels at any height. Lengths in um.
#pragma once

#include <vector>

#include "daemon/inspection/board/ring_tiles.h"

namespace datum {

/// Modes of a ring's tiles as residuals about a plane.
struct TileModes {
  double noise_um = 0;            // of a pixel within its tile
  double correlation = 1;         // sum of its autocorrelation over lags of two pixels either way
  std::vector<TileLevel> levels;  // of the tiles with a mode
  std::vector<std::size_t> tile;  // index of each mode's tile
};

/// Noise: the median over the tiles of the standard deviation of each tile's fullest level; at least
/// `least_noise_um`. Standard errors combine noise, with its correlation about the modes themselves (so that
/// a level does not enter), and `expected_form_um`. Correlation is estimated along rows and assumed equal
/// along columns.
TileModes modes_of(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane,
                   double least_noise_um, double expected_form_um);

}  // namespace datum
