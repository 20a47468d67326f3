// An open file of a delivery, read by place. Strangers may still write to it, so that its bytes are never
// mapped: a file that is cut short gives a short read and no signal.
#pragma once

#include <filesystem>

#include "drivers/sensor/byte_source.h"
#include "drivers/sensor/descriptor.h"

namespace datum {

class DeliveredFile final : public ByteSource {
 public:
  /// A regular file of at most `max_size` bytes, as read_bytes. Throws FrameError.
  DeliveredFile(const std::filesystem::path& path, std::size_t max_size);
  /// Takes over an open file; `path` for messages.
  DeliveredFile(Descriptor&& file, std::filesystem::path path, std::size_t max_size);

  /// When it was opened; bytes appended later are not read.
  std::uint64_t size() const override { return size_; }
  /// Callable from several threads. Throws FrameError, also where the file became shorter.
  void read(std::uint64_t at, void* to, std::size_t n) const override;
  /// FrameError: two readings of the same bytes differ.
  [[noreturn]] void refuse_changed() const;

 private:
  Descriptor file_;
  std::filesystem::path path_;
  std::uint64_t size_ = 0;
};

}  // namespace datum
