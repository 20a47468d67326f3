// Files that an operator trusts: whole or not at all, and on the disk before anybody is told.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

/// Writes a whole file: under a hidden name, to the disk, then renamed. Throws std::system_error, whose words begin with
/// the file; what was there before is then still there.
void write_file_durably(const std::filesystem::path& file, const std::string& text);

/// The same for its removal.
void remove_file_durably(const std::filesystem::path& file);

}  // namespace datum
