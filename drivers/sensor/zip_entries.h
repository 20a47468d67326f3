// Entries of a zip file in memory, each read as a whole with a size limit.
#pragma once

#include <memory>
#include <string>

#include "drivers/sensor/file_bytes.h"

namespace datum {

class ZipEntries {
 public:
  /// Throws FrameError naming `name` where it is not a zip file. `file` must outlive the object.
  ZipEntries(ByteView file, std::string name);
  ~ZipEntries();
  ZipEntries(const ZipEntries&) = delete;
  ZipEntries& operator=(const ZipEntries&) = delete;

  /// Bytes of one entry, with its checksum verified. Throws FrameError: missing, encrypted, damaged, larger
  /// than `most` bytes. The size is checked before unpacking.
  Bytes read(const std::string& entry, std::size_t most) const;

 private:
  [[noreturn]] void refuse(const std::string& what) const;

  struct Archive;
  std::unique_ptr<Archive> archive_;
  std::string name_;
};

}  // namespace datum
