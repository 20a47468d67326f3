// Exact sums from which the correlation of residuals is derived. C++17.
#pragma once

#include <cstdint>

namespace datum {

/// Residuals r in steps: sum r^2, and sum_p r_p B_L(p) with B_L the sum over the square of 2 L + 1 pixels
/// around p, for the reaches L = 1, 2, 4, 8, 16.
struct BoxProducts {
  std::int64_t squares = 0;
  std::int64_t products[5] = {};
};

}  // namespace datum
