// Bytes of a delivered file and their SHA-256.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace datum {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// Whole content of a regular file of at most `max_size` bytes; never waits (a FIFO is refused). Throws
/// FrameError.
Bytes read_bytes(const std::filesystem::path& path, std::size_t max_size);

/// Lower-case hex SHA-256 of the parts, one after the other.
std::string sha256_hex(std::initializer_list<ByteView> parts);

}  // namespace datum
