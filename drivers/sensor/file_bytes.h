// Bytes of a delivered file and their SHA-256.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace datum {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// Whole content of a regular file of at most `max_size` bytes; never waits (a FIFO is refused), and follows no link in the
/// place of the file, whenever it came there. Throws FrameError.
Bytes read_bytes(const std::filesystem::path& path, std::size_t max_size);
/// Where a link that an operator names leads to; any other path as it is.
std::filesystem::path link_followed(const std::filesystem::path& path);
/// The same of a file below `folder`, named relative to it. A path that is absolute or has "..", and a link in the place of
/// the file or of a folder on the way, are refused; `folder` itself may be reached by links. Throws FrameError.
Bytes read_bytes_below(const std::filesystem::path& folder, const std::filesystem::path& file,
                       std::size_t max_size);
/// Whether `file` names a place below a folder: not empty, not absolute, without "..".
inline bool stays_below(const std::filesystem::path& file) {
  return file.has_filename() && file.is_relative() && std::find(file.begin(), file.end(), "..") == file.end();
}

/// Lower-case hex SHA-256 of the parts, one after the other.
std::string sha256_hex(std::initializer_list<ByteView> parts);

}  // namespace datum
