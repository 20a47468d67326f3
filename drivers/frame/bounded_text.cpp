#include "drivers/frame/bounded_text.h"

#include <cstdint>

namespace datum {
namespace {

/// Length of the UTF-8 character at `at` in bytes; 0: invalid, or a control character.
std::size_t printable_at(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 2) return 0;
  const bool c1 = first == 0xc2 && byte(1) < 0xa0;
  return c1 ? 0 : length;
}

/// 64-bit FNV-1a (Fowler, Noll, Vo; RFC 9923): distinguishes texts, but is not secure against forgery.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string bounded_text(const std::string& text) {
  if (text.size() <= max_text_bytes) return text;
  std::string hash;
  for (std::uint64_t left = hash_of(text), i = 0; i < 16; ++i, left <<= 4)
    hash += "0123456789abcdef"[left >> 60];
  const std::string rest = "... (" + std::to_string(text.size()) + " bytes, FNV-1a " + hash + ")";
  std::size_t end = max_text_bytes - rest.size();
  // Not within a character: its first byte is not 10xxxxxx.
  for (int back = 0; back < 3 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++back) --end;
  return text.substr(0, end) + rest;
}

std::string printable_text(const std::string& text) {
  const std::string bounded = bounded_text(text);
  std::string out;
  for (std::size_t at = 0; at < bounded.size();) {
    const std::size_t length = printable_at(bounded, at);
    if (length == 0)
      out += bounded[at] == '\n' || bounded[at] == '\t' ? ' ' : '?';
    else
      out.append(bounded, at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace datum
