#include "daemon/series/decimal.h"

#include <cmath>
#include <stdexcept>

namespace datum::quality {
namespace {

constexpr int most_digits = 18;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument("'" + std::string(text.substr(0, 40)) + "' " + why);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Decimal decimal_of(std::string_view text) {
  constexpr const char* form =
      "is no number; allowed: a decimal number such as -1200.4 or 1.2e3, with a point";
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++at;
  std::int64_t count = 0;
  int digits = 0, exponent = 0, read = 0;
  bool point = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    if (count >= largest_count / 10) refuse(text, "has more than 18 significant digits; round it");
    count = 10 * count + (text[at] - '0');
    digits += point;
    ++read;
  }
  if (read == 0) refuse(text, form);
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const bool down = ++at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t first = at;
    for (; at < text.size() && is_digit(text[at]) && exponent < 1000; ++at)
      exponent = 10 * exponent + (text[at] - '0');
    if (at == first) refuse(text, form);
    if (down) exponent = -exponent;
  }
  if (at < text.size()) refuse(text, form);
  digits -= exponent;
  for (; digits > 0 && count % 10 == 0; --digits) count /= 10;
  if (count == 0) return {};
  for (; digits < 0; ++digits) {
    if (count > largest_count / 10) refuse(text, "is above 1e18");
    count *= 10;
  }
  if (digits > most_digits) refuse(text, "has more than 18 decimals; round it");
  return {negative ? -count : count, digits};
}

Decimal decimal_of(double value, int digits) {
  const double scaled = std::round(value * std::pow(10.0, digits));
  if (!(std::abs(scaled) <= static_cast<double>(largest_count)))
    throw std::invalid_argument("a value is not finite, or above 1e18 of its last digit");
  return {static_cast<std::int64_t>(scaled), digits};
}

std::int64_t count_at(const Decimal& value, int digits) {
  std::int64_t count = value.count;
  for (int i = value.digits; i < digits; ++i) {
    if (std::abs(count) > largest_count / 10)
      throw std::invalid_argument(
          "values need more than 18 digits together: round them to the same decimals");
    count *= 10;
  }
  return count;
}

}  // namespace datum::quality
