// Lower-case hex digits, two per byte: each value has one spelling, and therefore a signed text too.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

inline std::string hex_of(const unsigned char* bytes, std::size_t size) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

/// True: the text has exactly this number of such digits.
inline bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// None: the text is not hex.
inline std::optional<std::vector<unsigned char>> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0 || !is_hex(text, text.size())) return std::nullopt;
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(value(text[i]) * 16 + value(text[i + 1])));
  return bytes;
}

}  // namespace datum
