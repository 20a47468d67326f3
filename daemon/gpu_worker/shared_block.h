// A piece of memory that datumd and datumd-gpu both see; what it maps lives as long as either side maps it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace datum {

class SharedBlock {
 public:
  SharedBlock() = default;
  /// Takes all of it at once (memfd), of a size that neither side can change. Throws GpuError.
  static SharedBlock create(std::uint64_t bytes);
  /// Maps what the other side made; `fd` is taken over. Throws GpuError where it is of another size.
  static SharedBlock map(int fd, std::uint64_t bytes);
  SharedBlock(SharedBlock&& other) noexcept { swap(other); }
  SharedBlock& operator=(SharedBlock&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedBlock();

  explicit operator bool() const { return base_ != nullptr; }
  int fd() const { return fd_; }
  std::uint64_t bytes() const { return bytes_; }
  std::byte* base() const { return base_; }

 private:
  void map();
  void swap(SharedBlock& other) noexcept;

  int fd_ = -1;
  std::uint64_t bytes_ = 0;
  std::byte* base_ = nullptr;
};

}  // namespace datum
