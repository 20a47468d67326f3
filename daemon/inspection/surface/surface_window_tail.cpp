#include "daemon/inspection/surface/surface_window_tail.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/verdict/normal.h"

namespace datum {

LowestOf::LowestOf(double parts) : parts_(std::max(1.0, parts)) {
  // sums of a density that ends smoothly at both sides: exact to rounding
  constexpr int steps = 160;
  constexpr double reach = 9, step = 2 * reach / steps;
  double sum = 0, squares = 0, all = 0;
  for (int i = 0; i <= steps; ++i) {
    const double y = i * step - reach;
    const double density =
        std::exp(-y * y / 2) * std::pow(normal_share_below(-y), parts_ - 1);  // but for a factor
    all += density;
    sum += y * density;
    squares += y * y * density;
  }
  mean_ = sum / all;
  sigma_ = std::sqrt(squares / all - mean_ * mean_);
}

double LowestOf::log_share_below(double z) const {
  return std::log1p(-std::min(1 - 1e-16, std::pow(normal_share_below(-(mean_ + sigma_ * z)), parts_)));
}

}  // namespace datum
