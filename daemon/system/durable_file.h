// Durable files: complete or absent, and on the disk before the call returns.
#pragma once

#include <cstddef>
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

/// Removes a file, and its name from the disk.
void remove_file_durably(const std::filesystem::path& file);

/// A file that grows at its end, written by one process at a time. Its functions throw as write_file_durably does.
class GrowingFile {
 public:
  /// Opens the file, or makes it; throws where another process has it open as such.
  explicit GrowingFile(const std::filesystem::path& file);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  std::string read() const;
  /// Cuts the file to its first `whole` bytes and adds `text`; both are on the disk then, and so is the file's name. Where the
  /// text can't be added, the file keeps the first `whole` bytes.
  void append(std::size_t whole, const std::string& text) const;

 private:
  std::filesystem::path path_;
  int fd_;
};

}  // namespace datum
