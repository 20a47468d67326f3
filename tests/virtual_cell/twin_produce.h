// A production of boards: every seed gives another board and another state of the sensor, distributed about
// their nominals.
#pragma once

#include <cstdint>

#include "tests/virtual_cell/twin_board.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum {

/// Standard deviations; linearity_um is the amplitude of the wave, with uniform phase.
struct TwinSpread {
  double bow_um = 0;  // of the middle over the ends, along x and along y
  double twist_um = 0;
  double height_um = 0;  // true heights about TwinBody::height_um
  double tilt_mdeg = 0;  // true tilt of a top, about each of its axes
  double place_mm = 0;   // true place of a body, along x and along y
  double scale_ppm = 0;  // scale error of the sensor during this snapshot
};

/// Board number `seed` of a production of `nominal`. The result contains the truth: truth_of(board).
TwinBoard produce(const TwinBoard& nominal, const TwinSpread& spread, std::uint64_t seed);

/// The sensor's systematic errors at board number `seed`.
TwinNoise drift(const TwinNoise& noise, const TwinSpread& spread, std::uint64_t seed);

}  // namespace datum
