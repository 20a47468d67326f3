#include "tests/virtual_cell/twin_produce.h"

#include <cmath>
#include <numbers>

#include "tests/virtual_cell/twin_random.h"

namespace datum {

TwinBoard produce(const TwinBoard& nominal, const TwinSpread& spread, std::uint64_t seed) {
  TwinBoard board = nominal;
  const TwinRandom bow(seed, TwinStream::bow), seating(seed, TwinStream::seating),
      place(seed, TwinStream::place);
  board.shape.bow_x_um += spread.bow_um * bow.normal(0);
  board.shape.bow_y_um += spread.bow_um * bow.normal(1);
  board.shape.twist_um += spread.twist_um * bow.normal(2);
  const double tilt = std::tan(spread.tilt_mdeg * 1e-3 * std::numbers::pi / 180);
  std::uint64_t k = 0;
  for (TwinBody& body : board.bodies) {
    body.height_um += spread.height_um * seating.normal(3 * k);
    body.slope_x += tilt * seating.normal(3 * k + 1);
    body.slope_y += tilt * seating.normal(3 * k + 2);
    body.outline.centre_mm.x() += spread.place_mm * place.normal(2 * k);
    body.outline.centre_mm.y() += spread.place_mm * place.normal(2 * k + 1);
    ++k;
  }
  return board;
}

TwinNoise drift(const TwinNoise& noise, const TwinSpread& spread, std::uint64_t seed) {
  const TwinRandom random(seed, TwinStream::scale);
  TwinNoise now = noise;
  now.scale_error_ppm += spread.scale_ppm * random.normal(0);
  now.linearity_phase += random.uniform(1000);
  return now;
}

}  // namespace datum
