// Inter-reflection: light that reaches a place by another face carries the fringes of another column. The phase is wrong,
// and the sine fits as well as before. Its signature is a contrast that rises and falls with the fringes.
//
// A second sine of the share r, from column u2 in place of u, gives the contrast 1 + r cos(d) and the phase error r
// sin(d), d = 2 pi (u2 - u) / p. On a mirroring wall u2 runs against u: two waves per period. Light from one bright place
// gives one.
#pragma once

#include "daemon/fringe/fringe_maps.h"

namespace datum {

/// The tile whose contrast has the largest amplitude of waves at the shortest period; share 0: none.
struct FringeRipple {
  double share = 0;      // r
  double height_um = 0;  // half width of the height error in um: r p / 2 pi times the slope of the model
  int row = 0, col = 0;  // centre of the tile
};

/// Fits the contrast (modulation over mean) in tiles of 64 x 64 pixels. A tile must exceed one period, and the waves must
/// explain more than a quarter of the residual of a plane. Modulation is the minimum over all periods, which halves a
/// wave: r is twice its amplitude. Share 0 without heights.
FringeRipple ripple_of(const MeasuredFringes& measured, int rows, int cols, double period_px);

}  // namespace datum
