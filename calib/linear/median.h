#pragma once

#include <algorithm>
#include <vector>

namespace datum {

/// The middle value by rank; the upper one of two for an even number. `values` is not empty.
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace datum
