// Decimal numbers as integers, and their sums without rounding: the same bits for any order, thread and merge of the values.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "daemon/series/count_sums.h"
#include "daemon/series/decimal.h"

namespace datum::quality {

/// Of sums, squares of sums and their products. Of up to 1e9 counts of at most 1e18 none reaches 256 bits; it throws std::overflow_error.
using Integer = boost::multiprecision::checked_int256_t;

/// numerator / (denominator * 10^digits), within some 2^-63 before its rounding to a double.
double ratio(const Integer& numerator, const Integer& denominator, int digits = 0);

/// Number, sum and sum of squares of counts: all that mean and variance need, kept for ever, merged by adding.
struct ExactSums {
  std::uint64_t n = 0;
  Integer sum = 0, squares = 0;

  void add(std::int64_t count);
  /// Takes a value out that was added before.
  void remove(std::int64_t count);
  void merge(const ExactSums& other);

  /// In the values' unit, for counts of `digits` decimals; NaN where there are no values, or of a variance fewer than two.
  double mean(int digits) const;
  double variance(int digits) const;
  /// Sum of squared deviations from the mean.
  double deviations(int digits) const;
};

/// The same sums.
ExactSums exact(const CountSums& sums);
ExactSums sums_of(std::span<const std::int64_t> counts);

}  // namespace datum::quality
