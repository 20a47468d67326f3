// Entries of a zip file in memory, each read whole and bounded.
#pragma once

#include <memory>
#include <string>

#include "drivers/sensor/file_bytes.h"

namespace datum {

class ZipEntries {
 public:
  /// Throws FrameError naming `name` where it is no zip file. `file` must outlive it.
  ZipEntries(ByteView file, std::string name);
  ~ZipEntries();
  ZipEntries(const ZipEntries&) = delete;
  ZipEntries& operator=(const ZipEntries&) = delete;

  /// Bytes of one entry, its checksum compared. Throws FrameError: absent, encrypted, damaged, larger than
  /// `most` bytes; nothing is unpacked before its size is known to fit.
  Bytes read(const std::string& entry, std::size_t most) const;

 private:
  [[noreturn]] void refuse(const std::string& what) const;

  struct Archive;
  std::unique_ptr<Archive> archive_;
  std::string name_;
};

}  // namespace datum
