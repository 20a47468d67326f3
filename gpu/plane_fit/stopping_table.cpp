#include "gpu/plane_fit/stopping_table.h"

#include <cmath>

namespace datum {
namespace {

/// The product of hypotheses_needed(), with its roundings.
double miss_all(double miss_one, int k) {
  double product = miss_one;
  for (int i = 1; i < k; ++i) product *= miss_one;
  return product;
}

}  // namespace

std::vector<double> stopping_table(double p, int limit) {
  std::vector<double> table;
  for (int k = 1; k <= limit; ++k) {
    // Rounded products rise with their factor, so that the exact root lies within a few units in the last place.
    double miss = std::pow(1 - p, 1.0 / k);
    while (miss_all(miss, k) <= 1 - p) miss = std::nextafter(miss, 2.0);
    while (!(miss_all(miss, k) <= 1 - p)) miss = std::nextafter(miss, 0.0);
    table.push_back(miss);
  }
  return table;
}

}  // namespace datum
