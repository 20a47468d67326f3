// Files that an operator trusts: whole or not at all, and on the disk before anybody is told.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

/// Writes a whole file: under a hidden name, to the disk, then renamed. Throws std::system_error, whose words begin with
/// the file; what was there before is then still there.
void write_file_durably(const std::filesystem::path& file, const std::string& text);

/// Its steps: under a hidden name beside `file`, on the disk, which is returned; in the place of `file`, where a look finds it; its
/// folder, and so its name, on the disk. Throw as it does; the first leaves nothing behind then.
std::filesystem::path write_part_durably(const std::filesystem::path& file, const std::string& text);
void put_in_place(const std::filesystem::path& part, const std::filesystem::path& file);
void sync_name_of(const std::filesystem::path& file);

/// The same for its removal.
void remove_file_durably(const std::filesystem::path& file);

}  // namespace datum
