#include "daemon/teach/toml_values.h"

#include <fmt/format.h>

namespace datum::teach {
namespace {

template <class T, class Text>
std::string in_brackets(const std::vector<T>& values, Text text) {
  std::string all;
  for (const T& value : values) all += (all.empty() ? "" : ", ") + text(value);
  return "[" + all + "]";
}

}  // namespace

std::string toml_text(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += u < 0x20 || u >= 0x7f ? '?' : c;
  }
  return out + "\"";
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
