#include "daemon/scpi/scpi_parameter.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "daemon/instrument/scpi_error.h"
#include "daemon/scpi/scpi_framer.h"
#include "daemon/scpi/scpi_pattern.h"

namespace datum::scpi {
namespace {

using Kind = Parameter::Kind;

bool is_word(const std::string& typed, const char* pattern) {
  return Pattern(pattern).match({typed}, false).has_value();
}

double decimal(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool tiny = error == std::errc::result_out_of_range && text.find("e-") != std::string::npos;
  if (tiny) return 0;  // IEEE 488.2: rounded to a representable number
  if (error == std::errc::result_out_of_range) throw Error(data_out_of_range, text.substr(0, 40));
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(invalid_character_in_number, text.substr(0, 40));
  return value;
}

void check_range(const Parameter& p, double value) {
  if (value >= p.min && value <= p.max) return;
  throw Error(data_out_of_range, fmt::format("{} {}; {} to {}", p.name, value, p.min, p.max));
}

double number_without_range(const Parameter& p, const Element& e) {
  return e.kind == Element::Kind::character ? named_number(p, e.text)
                                            : in_base_unit(decimal(e.text), p.dimension, e.suffix);
}

Value number_of(const Parameter& p, const Element& e) {
  Value v;
  v.number = number_without_range(p, e);
  check_range(p, v.number);
  return v;
}

/// IEEE 488.2 rounds a decimal number where an integer is expected. An integer that names a result is not rounded to
/// another name; plain digits are parsed exactly, beyond 2^53 too.
Value integer_of(const Parameter& p, const Element& e) {
  Value v;
  if (e.kind == Element::Kind::number && !e.suffix.empty()) throw Error(suffix_not_allowed, e.suffix);
  const auto [end, error] = std::from_chars(e.text.data(), e.text.data() + e.text.size(), v.integer);
  const bool exact =
      e.kind == Element::Kind::number && error == std::errc() && end == e.text.data() + e.text.size();
  const double number = exact ? static_cast<double>(v.integer) : number_without_range(p, e);
  v.number = std::round(number);
  if (p.whole && v.number != number)
    throw Error(data_out_of_range, fmt::format("{} {}; a whole number", p.name, number));
  check_range(p, v.number);
  if (!exact)
    v.integer = v.number >= 0x1p64 ? UINT64_MAX : static_cast<std::uint64_t>(std::max(v.number, 0.0));
  return v;
}

Value boolean_of(const Parameter& p, const Element& e) {
  Value v;
  if (e.kind == Element::Kind::number) {
    v.on = std::round(in_base_unit(decimal(e.text), Dimension::none, e.suffix)) != 0;
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
  throw Error(syntax_error, p.name);
}

Value value_of(const Parameter& p, const Element& e) {
  const bool number = e.kind == Element::Kind::number, character = e.kind == Element::Kind::character;
  const bool text = (p.kind == Kind::string && e.kind == Element::Kind::string) ||
                    (p.kind == Kind::block && e.kind == Element::Kind::block);
  if (p.kind == Kind::number && (number || character)) return number_of(p, e);
  if (p.kind == Kind::integer && (number || character)) return integer_of(p, e);
  if (p.kind == Kind::boolean && (number || character)) return boolean_of(p, e);
  if (p.kind == Kind::character && character) return word_of(p, e);
  Value v;
  if (p.kind == Kind::channels && e.kind == Element::Kind::expression) {
    v.channels = read_channels(e.text);
    return v;
  }
  if (!text) refuse_kind(p, e.kind);
  v.text = e.text;
  return v;
}

/// True: an optional parameter is omitted before a channel list.
bool is_left_out(const std::vector<Parameter>& declared, std::size_t i, const Element& given) {
  return declared[i].optional && declared[i].kind != Kind::channels &&
         given.kind == Element::Kind::expression && i + 1 < declared.size() &&
         declared[i + 1].kind == Kind::channels;
}

}  // namespace

std::vector<std::optional<Value>> convert(const std::vector<Parameter>& declared,
                                          const std::vector<Element>& given) {
  const std::size_t most = declared.empty() ? 0 : declared.size() - 1 + declared.back().most;
  if (given.size() > most)
    throw Error(parameter_not_allowed, fmt::format("{} given, at most {}", given.size(), most));
  std::vector<std::optional<Value>> values(declared.size());
  std::size_t next = 0;  // of the given parameters
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (next < given.size()) {
      if (!is_left_out(declared, i, given[next])) values[i] = value_of(declared[i], given[next++]);
    } else if (!declared[i].optional) {
      throw Error(missing_parameter, declared[i].name);
    }
  }
  for (std::size_t more = 1; !declared.empty() && next < given.size() && more < declared.back().most; ++more)
    values.push_back(value_of(declared.back(), given[next++]));
  if (next < given.size()) throw Error(parameter_not_allowed, "the order is " + signature(declared));
  return values;
}

double named_number(const Parameter& p, const std::string& typed) {
  if (is_word(typed, "MINimum")) return p.min;
  if (is_word(typed, "MAXimum")) return p.max;
  if (is_word(typed, "DEFault")) {
    if (!p.preset) throw Error(illegal_parameter_value, fmt::format("{} has no default", p.name));
    return *p.preset;
  }
  throw Error(character_data_not_allowed, fmt::format("{} where {} is a number", typed, p.name));
}

std::string signature(const std::vector<Parameter>& declared) {
  std::string out;
  for (const auto& p : declared) {
    const bool list = p.kind == Kind::channels;
    const std::string name =
        fmt::format("{}{}{}{}", out.empty() ? "" : ",", list ? "(@<" : "<", p.name, list ? ">)" : ">");
    out += p.optional ? "[" + name + "]" : name;
    if (p.most > 1) out += "{," + name + "}";
  }
  return out;
}

std::string range_text(const Parameter& p) {
  const std::string unit = p.dimension == Dimension::none ? "" : fmt::format(" {}", base_unit(p.dimension));
  switch (p.kind) {
    case Kind::number: {
      std::string text = fmt::format("a number from {} to {}{}", p.min, p.max, unit);
      if (p.preset) text += fmt::format(", DEFault {}", *p.preset);
      return p.dimension == Dimension::none ? text : text + "; units " + units_of(p.dimension);
    }
    case Kind::integer:
      return fmt::format("a whole number from {} to {}", p.min, p.max);
    case Kind::boolean:
      return "ON, OFF, 1 or 0";
    case Kind::character: {
      std::string text;
      for (const char* word : p.words) text += (text.empty() ? "" : ", ") + std::string(word);
      return text;
    }
    case Kind::string:
      return "a string in single or double quotes";
    case Kind::block:
      return fmt::format("a definite block of at most {} bytes", Framer::longest_block);
    case Kind::channels:
      return "a channel list: numbers, names, ranges of both";
  }
  return "";
}

}  // namespace datum::scpi
