// Decimal numbers as integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace datum::quality {

/// count * 10^-digits.
struct Decimal {
  std::int64_t count = 0;
  int digits = 0;  // decimals, 0 to 18
};

/// Largest magnitude of a count.
inline constexpr std::int64_t largest_count = 1'000'000'000'000'000'000;

/// "-1200.40", "1.2e3". Throws std::invalid_argument: what is wrong with the text, and what is allowed.
Decimal decimal_of(std::string_view text);
/// The nearest decimal with so many digits; halves go away from zero. Throws std::invalid_argument where it is not finite or too large.
Decimal decimal_of(double value, int digits);
/// The count of the same number with more digits. Throws std::invalid_argument where it exceeds largest_count.
std::int64_t count_at(const Decimal& value, int digits);

}  // namespace datum::quality
