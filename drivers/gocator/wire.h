// Protocol numbers: little-endian, unaligned.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace datum::gocator {

// Heights are received in place; a big-endian host would have to swap them.
static_assert(std::endian::native == std::endian::little);

using ByteView = std::span<const std::uint8_t>;

/// The number at a byte offset, which the caller has checked.
template <class T>
T at(ByteView bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof value);
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

}  // namespace datum::gocator
