#include "daemon/exchange/shifted_decimal.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace datum {

std::string shifted_decimal(double value, int places) {
  if (value == 0) return "0";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  std::string digits;
  for (const char c : text.substr(0, e))
    if (c >= '0' && c <= '9') digits += c;
  int exponent = 0;
  const std::string_view power = text.substr(e + 1);
  std::from_chars(power.data() + (power[0] == '+'), power.data() + power.size(), exponent);
  int whole = exponent - places + 1;  // digits before the point
  if (whole <= 0) {
    digits.insert(0, static_cast<std::size_t>(1 - whole), '0');
    whole = 1;
  }
  if (static_cast<int>(digits.size()) < whole)
    digits.append(static_cast<std::size_t>(whole) - digits.size(), '0');
  constexpr std::size_t most = 24;
  std::string out = digits.substr(0, static_cast<std::size_t>(whole));
  std::string part = digits.substr(out.size()).substr(0, most - std::min(most, out == "0" ? 0 : out.size()));
  part.erase(part.find_last_not_of('0') + 1);
  if (part.empty() && out == "0") return "0";
  return (value < 0 ? "-" : "") + out + (part.empty() ? "" : "." + part);
}

}  // namespace datum
