#include "daemon/quality/statistics/exact.h"

#include <cmath>
#include <limits>

namespace datum::quality {
namespace {

Integer power_of_ten(int exponent) {
  Integer power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

}  // namespace

double ratio(const Integer& numerator, const Integer& denominator, int digits) {
  const Integer below = denominator * power_of_ten(digits);
  if (below == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(numerator.convert_to<long double>() / below.convert_to<long double>());
}

void ExactSums::add(std::int64_t count) {
  ++n;
  sum += count;
  squares += Integer(count) * count;
}

void ExactSums::remove(std::int64_t count) {
  --n;
  sum -= count;
  squares -= Integer(count) * count;
}

void ExactSums::merge(const ExactSums& other) {
  n += other.n;
  sum += other.sum;
  squares += other.squares;
}

double ExactSums::mean(int digits) const { return ratio(sum, n, digits); }

double ExactSums::deviations(int digits) const { return ratio(n * squares - sum * sum, n, 2 * digits); }

double ExactSums::variance(int digits) const {
  return n < 2 ? std::numeric_limits<double>::quiet_NaN()
               : ratio(n * squares - sum * sum, Integer(n) * (n - 1), 2 * digits);
}

ExactSums exact(const CountSums& sums) {
  ExactSums out;
  out.n = sums.n;
  // Limbs of 64 bits, since no constructor from 128 bits is checked.
  const auto wide = [](UnsignedWide v) {
    return (Integer(static_cast<std::uint64_t>(v >> 64)) << 64) + static_cast<std::uint64_t>(v);
  };
  const bool negative = sums.sum < 0;
  const Integer magnitude = wide(static_cast<UnsignedWide>(negative ? -sums.sum : sums.sum));
  out.sum = negative ? Integer(-magnitude) : magnitude;
  out.squares = (wide(sums.squares_high) << 64) + wide(sums.squares_low);
  return out;
}

ExactSums sums_of(std::span<const std::int64_t> counts) {
  ExactSums sums;
  for (const std::int64_t count : counts) sums.add(count);
  return sums;
}

}  // namespace datum::quality
