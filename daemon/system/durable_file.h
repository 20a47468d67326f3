// Durable files: complete or absent, and on the disk before the call returns.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

/// Writes a whole file: under a hidden name, synchronised to the disk, then renamed. Throws std::system_error whose text
/// begins with the file; the former file then still exists.
void write_file_durably(const std::filesystem::path& file, const std::string& text);

/// The steps of write_file_durably. The first writes and synchronises a hidden file beside `file`, and returns its path; on
/// failure it leaves no file. The second renames it to `file`. The third synchronises the folder, and so the name.
std::filesystem::path write_part_durably(const std::filesystem::path& file, const std::string& text);
void put_in_place(const std::filesystem::path& part, const std::filesystem::path& file);
void sync_name_of(const std::filesystem::path& file);

/// Removes a file and synchronises its folder.
void remove_file_durably(const std::filesystem::path& file);

}  // namespace datum
