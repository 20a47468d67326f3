// Bytes of a delivered file and their SHA-256.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace datum {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// Whole content of a regular file of at most `max_size` bytes. Never blocks (a FIFO is refused), and does
/// not follow a symbolic link as last component, without a race. Throws FrameError.
Bytes read_bytes(const std::filesystem::path& path, std::size_t max_size);
/// Target of a symbolic link that an operator names; any other path unchanged.
std::filesystem::path link_followed(const std::filesystem::path& path);
/// The same for a file below `folder`, named relative to it. Refuses an absolute path, "..", and symbolic
/// links below `folder`; `folder` itself may contain them. Throws FrameError.
Bytes read_bytes_below(const std::filesystem::path& folder, const std::filesystem::path& file,
                       std::size_t max_size);
/// Whether `file` stays below a folder: not empty, not absolute, without "..".
inline bool stays_below(const std::filesystem::path& file) {
  return file.has_filename() && file.is_relative() && std::find(file.begin(), file.end(), "..") == file.end();
}

/// Lower-case hex SHA-256 of the concatenated parts.
std::string sha256_hex(const std::vector<ByteView>& parts);

}  // namespace datum
