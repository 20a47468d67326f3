// The level of each tile of a ring: the mode of its pixels, wherever it lies. Lengths in um.
#pragma once

#include <vector>

#include "daemon/inspection/board/ring_tiles.h"

namespace datum {

/// Modes of a ring's tiles as residuals about a plane.
struct TileModes {
  double noise_um = 0;            // of a pixel within its tile
  double correlation = 1;         // sum of its autocorrelation over lags of two pixels either way
  std::vector<TileLevel> levels;  // of the tiles that tell one
  std::vector<std::size_t> tile;  // whose they are
};

/// Noise: the median over the tiles of the standard deviation of the fullest level of each; at least `least_noise_um`.
/// Standard errors are of noise, as it correlates about the modes themselves (a level can't enter it), and of
/// `expected_form_um`. Correlation is that along rows, and taken to be the same along columns.
TileModes modes_of(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane,
                   double least_noise_um, double expected_form_um);

}  // namespace datum
