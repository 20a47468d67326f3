// Numbers of the wire: little-endian, not aligned.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace datum::gocator {

// Heights are received where they are used; a big-endian host would have to turn them.
static_assert(std::endian::native == std::endian::little);

using ByteView = std::span<const std::uint8_t>;

/// The number at a byte offset; the caller knows that it is there.
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
