// Labelled values: "X= -123.4567 mm" (Acu-Rite VRO), "X=+41.29 R" (Heidenhain ND 522), one or several per
// line.
#include <fmt/format.h>

#include <cctype>

#include "drivers/cmm/line_framer.h"
#include "drivers/cmm/line_reading.h"

namespace datum {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Advances over "label sep number [unit] [modifier]" and leaves `rest` at the next label.
class Scanner {
 public:
  Scanner(std::string_view rest, const NumberFormat& number) : rest_(trimmed(rest)), number_(number) {}
  bool at_end() const { return rest_.empty(); }

  std::string_view take_while(bool (*wanted)(char)) {
    std::size_t n = 0;
    while (n < rest_.size() && wanted(rest_[n])) ++n;
    return take(n);
  }
  std::string_view take(std::size_t n) {
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(taken.size());
    rest_ = trimmed(rest_);
    return taken;
  }
  bool take_separator() {
    if (rest_.empty() || (rest_[0] != '=' && rest_[0] != ':')) return false;
    take(1);
    return true;
  }
  std::string_view take_number() {
    std::size_t n = 0;
    if (n < rest_.size() && (rest_[0] == '+' || rest_[0] == '-')) ++n;
    while (n < rest_.size() && is_blank(rest_[n])) ++n;
    while (n < rest_.size() && (in_number(n) || groups_digits(n) || begins_exponent(n))) ++n;
    return take(n);
  }
  // A word other than the next value's label.
  std::string_view take_word() {
    std::size_t n = 0;
    if (!rest_.empty() && (rest_[0] == '"' || rest_[0] == '?')) return take(1);
    while (n < rest_.size() && is_letter(rest_[n])) ++n;
    std::size_t next = n;
    while (next < rest_.size() && is_blank(rest_[next])) ++next;
    if (next < rest_.size() && (rest_[next] == '=' || rest_[next] == ':')) return {};
    return take(n);
  }

 private:
  bool in_number(std::size_t n) const {
    const char c = rest_[n];
    return !is_blank(c) && !is_letter(c) && c != '"' && c != '?';
  }
  bool is_digit(std::size_t n) const { return n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9'; }
  bool groups_digits(std::size_t n) const {
    return number_.group == rest_[n] && n > 0 && is_digit(n - 1) && is_digit(n + 1);
  }
  bool begins_exponent(std::size_t n) const {
    if (!number_.exponent || n == 0 || !is_digit(n - 1) || (rest_[n] != 'E' && rest_[n] != 'e')) return false;
    return is_digit(n + 1) || (n + 1 < rest_.size() && (rest_[n + 1] == '+' || rest_[n + 1] == '-'));
  }

  std::string_view rest_;
  const NumberFormat& number_;
};

bool is_modifier(std::string_view word) { return word == "R" || word == "D" || word == "r" || word == "d"; }

LineReading check_modifier(std::string_view word) {
  if (word == "D")
    return fault(ProbeState::device_error, "a diameter, not a position; show the axis as radius");
  if (word == "r" || word == "d") return fault(ProbeState::device_error, "a distance to go, not a position");
  return {};
}

LineReading read_value(Scanner& scanner, const CmmSettings& settings, LineReading& into) {
  const std::string_view label = scanner.take_while(is_letter);
  const auto axis = axis_of(label, settings);
  if (!axis) return unknown_axis(label);
  if (!scanner.take_separator()) return fault(ProbeState::malformed, "no '=' or ':' after the axis");
  const NumberReading number = read_number(scanner.take_number(), settings.number);
  if (number.state != ProbeState::ok) return fault(number.state, number.why);
  std::string_view unit = scanner.take_word(), modifier;
  if (is_modifier(unit)) {
    modifier = unit;
    unit = {};
  } else if (!unit.empty()) {
    modifier = scanner.take_word();
  }
  if (LineReading bad = check_unit(unit, settings); bad.state != ProbeState::ok) return bad;
  if (!modifier.empty() && !is_modifier(modifier))
    return fault(ProbeState::malformed, fmt::format("{} after the value", in_quotes(modifier)));
  if (LineReading bad = check_modifier(modifier); bad.state != ProbeState::ok) return bad;
  for (const auto& [other, value] : into.values)
    if (other == *axis)
      return fault(ProbeState::malformed, fmt::format("axis {} twice", settings.axes[*axis].label));
  into.values.emplace_back(*axis, number.value);
  return {};
}

}  // namespace

LineReading read_labelled(std::string_view line, const CmmSettings& settings) {
  LineReading reading;
  for (Scanner scanner(line, settings.number); !scanner.at_end();) {
    LineReading bad = read_value(scanner, settings, reading);
    if (bad.state == ProbeState::ok) continue;
    bad.detail += ": " + in_quotes(line);
    return bad;
  }
  return reading;
}

}  // namespace datum
