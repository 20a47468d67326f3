// A file that appears whole or not at all: written under another name, then renamed.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace datum {

class PartFile {
 public:
  /// Throws std::runtime_error naming the file, as all members do.
  explicit PartFile(const std::filesystem::path& file);
  /// Takes back what was not finished.
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(const std::string& bytes);
  /// The same once it is worth a write, and then empties it.
  void write_some(std::string& bytes);
  void finish();

 private:
  std::filesystem::path file_, part_;
  std::ofstream out_;
};

/// A number's own bytes, as binary PLY and STL have them.
template <class T>
void append_bytes(std::string& to, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof value);
}

}  // namespace datum
