// Checks of arguments, before anything is touched, and the size of vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace datum::lu {

/// Throws std::invalid_argument, naming the argument.
void check_matrix(const void* a, std::uint32_t n, std::uint32_t leading, const char* name);
void check_present(const void* values, std::uint64_t count, const char* name);

/// Largest |element|.
template <class T>
double largest_of(const std::vector<T>& v) {
  double largest = 0;
  for (const T x : v) largest = std::max(largest, std::fabs(static_cast<double>(x)));
  return largest;
}

}  // namespace datum::lu
