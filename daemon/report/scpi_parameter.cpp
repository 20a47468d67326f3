#include "daemon/report/scpi_parameter.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "daemon/report/scpi_error.h"
#include "daemon/report/scpi_pattern.h"

namespace datum::scpi {
namespace {

using Kind = Parameter::Kind;

bool is_word(const std::string& typed, const char* pattern) {
  return Pattern(pattern).match({typed}, false).has_value();
}

double unit_factor(Dimension dimension, const std::string& suffix) {
  if (suffix.empty()) return 1;
  if (dimension == Dimension::none) throw Error(suffix_not_allowed, suffix);
  struct Unit {
    Dimension dimension;
    const char* name;
    double factor;
  };
  static constexpr Unit units[] = {{Dimension::seconds, "S", 1},         {Dimension::seconds, "MS", 1e-3},
                                   {Dimension::seconds, "US", 1e-6},     {Dimension::millimetres, "MM", 1},
                                   {Dimension::millimetres, "UM", 1e-3}, {Dimension::millimetres, "M", 1e3}};
  for (const auto& unit : units)
    if (unit.dimension == dimension && suffix == unit.name) return unit.factor;
  throw Error(invalid_suffix,
              fmt::format("{}; {}", suffix, dimension == Dimension::seconds ? "S, MS, US" : "M, MM, UM"));
}

double decimal(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) throw Error(data_out_of_range, text.substr(0, 40));
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(invalid_character_in_number, text.substr(0, 40));
  return value;
}

void check_range(const Parameter& p, double value) {
  if (value >= p.min && value <= p.max) return;
  throw Error(data_out_of_range, fmt::format("{} {}; {} to {}", p.name, value, p.min, p.max));
}

/// MINimum, MAXimum, DEFault.
double named_number(const Parameter& p, const std::string& typed) {
  if (is_word(typed, "MINimum")) return p.min;
  if (is_word(typed, "MAXimum")) return p.max;
  if (is_word(typed, "DEFault") && p.preset) return *p.preset;
  throw Error(character_data_not_allowed, fmt::format("{} where {} is a number", typed, p.name));
}

Value number_of(const Parameter& p, const Element& e) {
  Value v;
  v.number = e.kind == Element::Kind::character ? named_number(p, e.text)
                                                : decimal(e.text) * unit_factor(p.dimension, e.suffix);
  check_range(p, v.number);
  return v;
}

/// 488.2 rounds a decimal number where an integer is wanted; plain digits are read exactly, beyond 2^53 too.
Value integer_of(const Parameter& p, const Element& e) {
  Value v;
  if (e.kind == Element::Kind::number && !e.suffix.empty()) throw Error(suffix_not_allowed, e.suffix);
  const auto [end, error] = std::from_chars(e.text.data(), e.text.data() + e.text.size(), v.integer);
  const bool exact =
      e.kind == Element::Kind::number && error == std::errc() && end == e.text.data() + e.text.size();
  v.number = exact ? static_cast<double>(v.integer) : std::round(number_of(p, e).number);
  check_range(p, v.number);
  if (!exact)
    v.integer = v.number >= 0x1p64 ? UINT64_MAX : static_cast<std::uint64_t>(std::max(v.number, 0.0));
  return v;
}

Value boolean_of(const Parameter& p, const Element& e) {
  Value v;
  if (e.kind == Element::Kind::number) {
    v.on = std::round(decimal(e.text) * unit_factor(Dimension::none, e.suffix)) != 0;
  } else if (is_word(e.text, "ON") || is_word(e.text, "OFF")) {
    v.on = is_word(e.text, "ON");
  } else {
    throw Error(illegal_parameter_value, fmt::format("{} for {}; ON, OFF, 1 or 0", e.text, p.name));
  }
  return v;
}

Value word_of(const Parameter& p, const Element& e) {
  std::string allowed;
  for (std::size_t i = 0; i < p.words.size(); ++i) {
    if (is_word(e.text, p.words[i])) {
      Value v;
      v.word = i;
      return v;
    }
    allowed += (i ? ", " : "") + std::string(p.words[i]);
  }
  throw Error(illegal_parameter_value, fmt::format("{} for {}; one of: {}", e.text, p.name, allowed));
}

[[noreturn]] void refuse_kind(const Parameter& p, Element::Kind got) {
  switch (got) {
    case Element::Kind::number:
      throw Error(numeric_data_not_allowed, p.name);
    case Element::Kind::character:
      throw Error(character_data_not_allowed, p.name);
    case Element::Kind::string:
      throw Error(string_data_not_allowed, p.name);
    case Element::Kind::block:
      throw Error(block_data_not_allowed, p.name);
    case Element::Kind::expression:
      throw Error(expression_data_not_allowed, p.name);
  }
  throw Error(data_type_error, p.name);
}

Value value_of(const Parameter& p, const Element& e) {
  const bool number = e.kind == Element::Kind::number, character = e.kind == Element::Kind::character;
  const bool text = (p.kind == Kind::string && e.kind == Element::Kind::string) ||
                    (p.kind == Kind::block && e.kind == Element::Kind::block);
  if (p.kind == Kind::number && (number || character)) return number_of(p, e);
  if (p.kind == Kind::integer && (number || character)) return integer_of(p, e);
  if (p.kind == Kind::boolean && (number || character)) return boolean_of(p, e);
  if (p.kind == Kind::character && character) return word_of(p, e);
  if (!text) refuse_kind(p, e.kind);
  Value v;
  v.text = e.text;
  return v;
}

}  // namespace

std::vector<std::optional<Value>> convert(const std::vector<Parameter>& declared,
                                          const std::vector<Element>& given) {
  if (given.size() > declared.size())
    throw Error(parameter_not_allowed, fmt::format("{} given, at most {}", given.size(), declared.size()));
  std::vector<std::optional<Value>> values(declared.size());
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (i < given.size()) {
      values[i] = value_of(declared[i], given[i]);
    } else if (!declared[i].optional) {
      throw Error(missing_parameter, declared[i].name);
    }
  }
  return values;
}

std::string signature(const std::vector<Parameter>& declared) {
  std::string out;
  for (const auto& p : declared) {
    const std::string name = fmt::format("{}<{}>", out.empty() ? "" : ",", p.name);
    out += p.optional ? "[" + name + "]" : name;
  }
  return out;
}

}  // namespace datum::scpi
