// Conversion between values and registers: high word first, one character of a text per register.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "daemon/modbus/register_map.h"

namespace datum::modbus {

using Words = std::span<std::uint16_t>;
using ConstWords = std::span<const std::uint16_t>;

inline void put_u32(Words to, std::size_t at, std::uint32_t value) {
  to[at] = static_cast<std::uint16_t>(value >> 16);
  to[at + 1] = static_cast<std::uint16_t>(value);
}
inline void put_i32(Words to, std::size_t at, std::int32_t value) {
  put_u32(to, at, static_cast<std::uint32_t>(value));
}
inline void put_f32(Words to, std::size_t at, float value) {
  put_u32(to, at, std::bit_cast<std::uint32_t>(value));
}
inline void put_u64(Words to, std::size_t at, std::uint64_t value) {
  put_u32(to, at, static_cast<std::uint32_t>(value >> 32));
  put_u32(to, at + 2, static_cast<std::uint32_t>(value));
}
/// Fills the rest of `room` registers with 0. False: the text was truncated.
inline bool put_text(Words to, std::size_t at, std::size_t room, std::string_view text) {
  for (std::size_t i = 0; i < room; ++i)
    to[at + i] = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  return text.size() <= room;
}

inline std::uint32_t get_u32(ConstWords from, std::size_t at) {
  return std::uint32_t{from[at]} << 16 | from[at + 1];
}
inline float get_f32(ConstWords from, std::size_t at) { return std::bit_cast<float>(get_u32(from, at)); }
inline std::uint64_t get_u64(ConstWords from, std::size_t at) {
  return std::uint64_t{get_u32(from, at)} << 32 | get_u32(from, at + 2);
}
/// The text up to the first 0.
inline std::string get_text(ConstWords from, std::size_t at, std::size_t room) {
  std::string text;
  for (std::size_t i = 0; i < room && from[at + i] != 0; ++i) text += static_cast<char>(from[at + i]);
  return text;
}

/// `value` * 1000 as a whole number; no_integer where it is not finite or out of range.
std::int32_t milli(double value);

}  // namespace datum::modbus
