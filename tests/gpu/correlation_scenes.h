// A board's parts seen from above, for the tests of phase correlation.
#pragma once

#include <cmath>
#include <random>
#include <vector>

namespace datum::testing {

/// 1 on parts, 0 beside them, softly between; parts lie within the middle of the picture, shifted by (dx, dy) px.
inline std::vector<float> parts(std::uint32_t cols, std::uint32_t rows, double dx, double dy,
                                std::uint64_t seed, double noise = 0) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> in_x(0.25 * cols, 0.75 * cols), in_y(0.25 * rows, 0.75 * rows),
      size(0.02 * cols, 0.06 * cols);
  std::vector<double> v(std::size_t{cols} * rows);
  for (int i = 0; i < 12; ++i) {
    const double x0 = in_x(random), y0 = in_y(random), wide = size(random), high = size(random);
    // An edge as a sensor's spot of 1 px sees it: band-limited, so that a shift by parts of a px means something.
    const auto inside = [](double from_edge) { return 0.5 * (1 + std::erf(from_edge / std::sqrt(2.0))); };
    for (std::uint32_t y = 0; y < rows; ++y)
      for (std::uint32_t x = 0; x < cols; ++x)
        v[std::size_t{y} * cols + x] +=
            inside(wide - std::fabs(x - x0 - dx)) * inside(high - std::fabs(y - y0 - dy));
  }
  std::normal_distribution<double> normal;
  std::mt19937_64 other(seed + 1000);
  std::vector<float> out;
  for (const double value : v) out.push_back(static_cast<float>(value + noise * normal(other)));
  return out;
}

}  // namespace datum::testing
