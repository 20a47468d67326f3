#include "drivers/cmm/line_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "drivers/cmm/line_framer.h"

namespace datum {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::toupper(static_cast<unsigned char>(a[i])) != std::toupper(static_cast<unsigned char>(b[i])))
      return false;
  return true;
}

// Exact up to 10^15: with at most 15 digits, division by it gives the nearest double to the decimal number.
double power_of_ten(int exponent) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

struct Digits {
  std::int64_t mantissa = 0;
  int before = 0, after = 0;
  bool point = false, clean = true;
};

// "12 345.678" without its separators; none where they do not separate groups of three digits.
std::optional<std::string> ungrouped(std::string_view text, const NumberFormat& format) {
  const std::size_t whole = std::min(text.find(format.point), text.size());
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i >= whole || text[i] != *format.group)
      digits += text[i];
    else if (i == 0 || (whole - i) % 4 != 0)
      return std::nullopt;
  }
  const std::size_t separators = text.size() - digits.size();
  if (separators > 0 && separators != (whole - separators - 1) / 3) return std::nullopt;
  return digits;
}

// Removes "E-02" from the end of `body`; 0 where there is none.
std::optional<int> take_exponent(std::string_view& body) {
  const std::size_t at = body.find_first_of("eE");
  if (at == std::string_view::npos) return 0;
  std::string_view digits = body.substr(at + 1);
  body = body.substr(0, at);
  const bool negative = !digits.empty() && digits.front() == '-';
  if (!digits.empty() && (negative || digits.front() == '+')) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 2) return std::nullopt;
  int value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return negative ? -value : value;
}

// The nearest double to mantissa * 10^exponent.
double scaled(std::int64_t mantissa, int exponent) {
  if (exponent <= 0 && exponent >= -15) return static_cast<double>(mantissa) / power_of_ten(-exponent);
  const std::string text = fmt::format("{}e{}", mantissa, exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Digits scan(std::string_view text, char point) {
  Digits digits;
  for (const char c : text) {
    if (is_digit(c) && digits.before + digits.after < 15) {
      digits.mantissa = digits.mantissa * 10 + (c - '0');
      ++(digits.point ? digits.after : digits.before);
    } else if (c == point && !digits.point) {
      digits.point = true;
    } else {
      digits.clean = false;
      break;
    }
  }
  return digits;
}

}  // namespace

LineReading fault(ProbeState state, std::string detail) {
  LineReading reading;
  reading.state = state;
  reading.detail = std::move(detail);
  return reading;
}

LineReading unknown_axis(std::string_view label) {
  LineReading reading =
      fault(ProbeState::malformed, fmt::format("axis {} is not configured", in_quotes(label)));
  reading.unknown_label = label;
  return reading;
}

LineReading ignored_line() {
  LineReading reading;
  reading.ignored = true;
  return reading;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::size_t> axis_of(std::string_view label, const CmmSettings& settings) {
  for (std::size_t i = 0; i < settings.axes.size(); ++i)
    if (same_word(label, settings.axes[i].label)) return i;
  return std::nullopt;
}

NumberReading read_number(std::string_view text, const NumberFormat& format) {
  const auto wrong = [&](ProbeState state, const std::string& why) { return NumberReading{0, state, why}; };
  std::string_view body = trimmed(text);
  const bool negative = !body.empty() && body.front() == '-';
  if (!body.empty() && (negative || body.front() == '+')) body = trimmed(body.substr(1));
  const auto exponent = format.exponent ? take_exponent(body) : 0;
  const auto plain = format.group ? ungrouped(body, format) : std::string(body);
  const Digits digits = scan(plain.value_or(""), format.point);
  if (!exponent || !digits.clean || digits.before == 0 || (digits.point && digits.after == 0))
    return wrong(ProbeState::malformed, fmt::format("{} is not a number", in_quotes(text)));
  if (format.implied_decimals && digits.point)
    return wrong(ProbeState::malformed, fmt::format("{} has a point; it should have none", in_quotes(text)));
  if (format.decimals && digits.after != *format.decimals)
    return wrong(ProbeState::wrong_unit, fmt::format("{} has {} decimals; the configured unit has {}",
                                                     in_quotes(text), digits.after, *format.decimals));
  const std::int64_t mantissa = negative ? -digits.mantissa : digits.mantissa;
  const int decimals = format.implied_decimals.value_or(digits.after);
  return {scaled(mantissa, *exponent - decimals), ProbeState::ok, ""};
}

LineReading check_unit(std::string_view word, const CmmSettings& settings) {
  const bool is_mm = same_word(word, "mm");
  const bool is_inch = word == "\"" || same_word(word, "in") || same_word(word, "inch");
  const char* configured = settings.unit == LengthUnit::mm ? "mm" : "inch";
  if (word == "?") return fault(ProbeState::device_error, "the device marks a fault ('?')");
  if (word.empty()) {
    if (settings.unit_token == UnitToken::required)
      return fault(ProbeState::wrong_unit, fmt::format("no unit on the line; configured: {}", configured));
    if (settings.unit_token == UnitToken::blank_is_mm && settings.unit != LengthUnit::mm)
      return fault(ProbeState::wrong_unit, "the line says mm; configured: inch");
    return {};
  }
  if (!is_mm && !is_inch)
    return fault(ProbeState::malformed, fmt::format("{} is not a unit", in_quotes(word)));
  if (is_mm != (settings.unit == LengthUnit::mm))
    return fault(ProbeState::wrong_unit,
                 fmt::format("the line says {}; configured: {}", is_mm ? "mm" : "inch", configured));
  return {};
}

}  // namespace datum
