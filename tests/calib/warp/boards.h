// Boards with known surfaces, sampled at places like those of floors and bare patches.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "calib/warp/thin_plate.h"
#include "gpu/core/philox.h"

namespace datum::testing {

using Surface = std::function<double(double x_mm, double y_mm)>;  // um

/// Normal random number from counters alone (Box and Muller 1958).
inline double normal_of(std::uint32_t stream, std::uint32_t i) {
  const PhiloxBlock r = philox({{i, 0, 0, 0}}, stream);
  const double u = (r.word[0] + 0.5) / 4294967296.0, v = (r.word[1] + 0.5) / 4294967296.0;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
}

/// columns x rows knots over a board of size_mm, from edge to edge, each except corners displaced by up to
/// 0.3 of the pitch; noise of noise_um.
inline std::vector<WarpKnot> look_at(const Surface& surface, Eigen::Vector2d size_mm, int columns, int rows,
                                     double noise_um, std::uint32_t stream = 1) {
  std::vector<WarpKnot> knots;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const auto k = static_cast<std::uint32_t>(knots.size());
      const bool corner = (i == 0 || i == columns - 1) && (j == 0 || j == rows - 1);
      const double off = corner ? 0 : 0.3;
      const auto along = [&](int at, int n, double size, double shift) {
        return std::clamp((at + off * shift) / (n - 1), 0.0, 1.0) * size;
      };
      WarpKnot knot;
      knot.at_mm = {along(i, columns, size_mm.x(), std::sin(7.0 * k)),
                    along(j, rows, size_mm.y(), std::cos(11.0 * k))};
      knot.z_um = surface(knot.at_mm.x(), knot.at_mm.y()) + noise_um * normal_of(stream, k);
      knot.u_um = noise_um;
      knot.name = "K" + std::to_string(k);
      knots.push_back(knot);
    }
  }
  return knots;
}

}  // namespace datum::testing
