#include "daemon/report/page_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace datum {
namespace {

constexpr const char* replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Number of bytes of the UTF-8 character at `at`; 0: there is none (RFC 3629).
std::size_t character_bytes(const std::string& text, std::size_t at, char32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xF0 && first < 0xF5 ? 4
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xC2 && first < 0xE0 ? 2
                                                           : 0;
  if (size == 0 || at + size > text.size()) return 0;
  constexpr unsigned char kept[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  code = first & kept[size];
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3F);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return code < smallest[size] || code > 0x10FFFF ? 0 : size;
}

bool is_shown(char32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  if (code >= 0x7F && code < 0xA0) return false;
  if (code >= 0xD800 && code < 0xE000) return false;
  if (code == 0xFFFE || code == 0xFFFF) return false;
  return !(code >= 0x202A && code <= 0x202E) && !(code >= 0x2066 && code <= 0x2069);
}

std::string reference_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {c};
  }
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    char32_t code = 0;
    const std::size_t size = character_bytes(text, at, code);
    if (size == 0 || !is_shown(code))
      out += replacement;
    else if (size == 1)
      out += reference_of(text[at]);
    else
      out.append(text, at, size);
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string url_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string all_digits(std::optional<double> value) {
  return value && std::isfinite(*value) ? nlohmann::json(*value).dump() : "-";
}

std::string rounded_by(std::optional<double> value, double expanded_uncertainty) {
  if (!value || !std::isfinite(*value)) return "-";
  if (!(expanded_uncertainty > 0) || !std::isfinite(expanded_uncertainty))
    return fmt::format("{:.6g}", *value);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(expanded_uncertainty))), 0, 9);
  return fmt::format("{:.{}f}", *value, decimals);
}

std::string percent_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string coordinate(double x) { return fmt::format("{:.1f}", x); }

}  // namespace datum
