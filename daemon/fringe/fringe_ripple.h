// Light that reaches a place by another face (inter-reflection) carries the fringes of another column: their phase is off, and the
// sine fits as well as before. What shows it is their contrast, which rises and falls with the fringes.
//
// A second sine of the share r, from column u2 in place of u: contrast 1 + r cos(d), phase off by r sin(d), d = 2 pi (u2 - u) / p. A
// mirroring wall has u2 run against u: two waves a period; a glow of one place has one.
#pragma once

#include "daemon/fringe/fringe_maps.h"

namespace datum {

/// The tile whose contrast waves most with the shortest period; share 0: none does.
struct FringeRipple {
  double share = 0;      // r
  double height_um = 0;  // half width by which heights there are off: r p / 2 pi times the model's slope
  int row = 0, col = 0;  // of its middle
};

/// Of the contrast (modulation over mean) in tiles of 64 x 64 pixels that reach over a period and of which the waves explain more than a
/// quarter of what leaves a plane. Modulation is the smallest of all periods, which halves a wave: r is twice its amplitude. Needs
/// heights; share 0 without them.
FringeRipple ripple_of(const MeasuredFringes& measured, int rows, int cols, double period_px);

}  // namespace datum
