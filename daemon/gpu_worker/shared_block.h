// Memory shared by datumd and datumd-gpu; it exists while either side maps it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace datum {

class SharedBlock {
 public:
  SharedBlock() = default;
  /// Allocates all pages (memfd) with a sealed size. Throws GpuError.
  static SharedBlock create(std::uint64_t bytes);
  /// Maps the block of the other side; `fd` is owned by the callee. Throws GpuError for another size.
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
