#include "daemon/teach/toml_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace datum::teach {
namespace {

template <class T, class Text>
std::string in_brackets(const std::vector<T>& values, Text text) {
  std::string all;
  for (const T& value : values) all += (all.empty() ? "" : ", ") + text(value);
  return "[" + all + "]";
}

std::string key_of(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  });
  return bare ? key : toml_text(key);
}

}  // namespace

std::string toml_text(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f)
      out += fmt::format("\\u{:04X}", u);
    else
      out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  return out + "\"";
}

std::string toml_of(const config::TomlNode& value) {
  using Kind = config::TomlNode::Kind;
  switch (value.kind) {
    case Kind::text:
      return toml_text(value.text);
    case Kind::whole:
      return std::to_string(value.whole);
    case Kind::real:
      return toml_number(value.real, 9);
    case Kind::truth:
      return value.whole ? "true" : "false";
    case Kind::array:
      return in_brackets(value.elements, toml_of);
    case Kind::table: {
      std::string keys;
      for (const config::TomlEntry& e : value.entries)
        keys += (keys.empty() ? " " : ", ") + key_of(e.key) + " = " + toml_of(e.value);
      return "{" + keys + " }";
    }
    case Kind::other:
      break;
  }
  throw std::logic_error("a date: no recipe has one");
}

std::string toml_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text == "-0.0" ? "0.0" : text;
}

std::string toml_numbers(const std::vector<double>& values, int decimals) {
  return in_brackets(values, [&](double v) { return toml_number(v, decimals); });
}

std::string toml_pair(const Eigen::Vector2d& value) { return toml_numbers({value.x(), value.y()}); }

std::string toml_texts(const std::vector<std::string>& values) { return in_brackets(values, toml_text); }

}  // namespace datum::teach
