// A file that appears complete or not at all: written under another name, then renamed.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace datum {

class PartFile {
 public:
  /// All members throw std::runtime_error that names the file.
  explicit PartFile(const std::filesystem::path& file);
  /// Removes an unfinished file.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(const std::string& bytes);
  /// Writes and clears `bytes` once they exceed a buffer size.
  void write_some(std::string& bytes);
  void finish();

 private:
  std::filesystem::path file_, part_;
  std::ofstream out_;
};

/// Appends the object representation of a number, for binary PLY and STL.
template <class T>
void append_bytes(std::string& to, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof value);
}

}  // namespace datum
