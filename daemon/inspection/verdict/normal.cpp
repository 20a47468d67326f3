#include "daemon/inspection/verdict/normal.h"

#include <algorithm>
#include <cmath>

namespace datum {

double normal_share_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }

double normal_quantile(double p) {
  // bisection to 2e-17 of the range, without a table
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (normal_share_below(middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double highest_of_normal(double probability, double n) {
  return -normal_quantile(-std::expm1(std::log(probability) / std::max(1.0, n)));
}

}  // namespace datum
