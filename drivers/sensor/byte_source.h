// Bytes by their place: in memory, or in an open file.
#pragma once

#include <cstring>
#include <vector>

#include "drivers/sensor/file_bytes.h"

namespace datum {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// `n` bytes from `at` on, which lie within size(). Throws FrameError where they can't be read.
  virtual void read(std::uint64_t at, void* to, std::size_t n) const = 0;

  bool has(std::uint64_t at, std::uint64_t n) const { return at <= size() && size() - at >= n; }
};

class BytesInMemory final : public ByteSource {
 public:
  explicit BytesInMemory(ByteView bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t at, void* to, std::size_t n) const override {
    std::memcpy(to, bytes_.data() + at, n);
  }

 private:
  ByteView bytes_;
};

/// Keeps what was read, so that a later reading of the same bytes can be compared with it.
class RecordedBytes final : public ByteSource {
 public:
  explicit RecordedBytes(const ByteSource& from) : from_(from) {}
  std::uint64_t size() const override { return from_.size(); }
  void read(std::uint64_t at, void* to, std::size_t n) const override {
    from_.read(at, to, n);
    const auto* bytes = static_cast<const std::uint8_t*>(to);
    read_.push_back({at, Bytes(bytes, bytes + n)});
  }
  /// Whether `bytes`, which lie at `at`, are those of before wherever some of them were read.
  bool agrees(std::uint64_t at, ByteView bytes) const;

 private:
  struct Read {
    std::uint64_t at;
    Bytes bytes;
  };
  const ByteSource& from_;
  mutable std::vector<Read> read_;
};

}  // namespace datum
