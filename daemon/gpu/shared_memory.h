// Memory that datumd and datumd-gpu both see: mailbox, plan, records and frame slots.
#pragma once

#include "daemon/gpu/gpu_wire.h"

namespace datum {

/// One mapping; what it maps lives as long as either side maps it.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// Takes all of it at once (memfd), of a size that neither side can change. Throws GpuError.
  static SharedMemory create(const SharedLayout& layout);
  /// Maps what the other side made; `fd` is taken over. Throws GpuError where the layout is not one of
  /// layout_of() or the memory is of another size.
  static SharedMemory map(int fd, const SharedLayout& layout);
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedMemory();

  explicit operator bool() const { return base_ != nullptr; }
  int fd() const { return fd_; }
  const SharedLayout& layout() const { return layout_; }
  Mailbox& mailbox() const { return *reinterpret_cast<Mailbox*>(base_); }
  SitePlan* sites() const { return reinterpret_cast<SitePlan*>(base_ + layout_.sites); }
  PixelRun* runs() const { return reinterpret_cast<PixelRun*>(base_ + layout_.runs); }
  std::uint8_t* sides() const { return reinterpret_cast<std::uint8_t*>(base_ + layout_.sides); }
  SiteRecord* records() const { return reinterpret_cast<SiteRecord*>(base_ + layout_.records); }
  std::byte* slot(std::uint32_t i) const { return base_ + layout_.slots + i * layout_.slot_bytes; }

 private:
  void map();
  void swap(SharedMemory& other) noexcept;

  int fd_ = -1;
  std::byte* base_ = nullptr;
  SharedLayout layout_;
};

}  // namespace datum
