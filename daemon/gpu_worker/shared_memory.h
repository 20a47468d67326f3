// Shared memory of datumd and datumd-gpu for boards: mailbox, plan, records and frame slots.
#pragma once

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/shared_block.h"

namespace datum {

class SharedMemory {
 public:
  SharedMemory() = default;
  /// Throws GpuError.
  static SharedMemory create(const SharedLayout& layout);
  /// Maps the memory of the other side; `fd` is owned by the callee. Throws GpuError where the layout is not one of
  /// layout_of(), or for another size.
  static SharedMemory map(int fd, const SharedLayout& layout);

  explicit operator bool() const { return static_cast<bool>(block_); }
  int fd() const { return block_.fd(); }
  const SharedLayout& layout() const { return layout_; }
  Mailbox& mailbox() const { return *reinterpret_cast<Mailbox*>(block_.base()); }
  SlotProgress& progress(std::uint32_t slot) const {
    return reinterpret_cast<SlotProgress*>(block_.base() + layout_.progress)[slot];
  }
  SitePlan* sites() const { return reinterpret_cast<SitePlan*>(block_.base() + layout_.sites); }
  PixelRun* runs() const { return reinterpret_cast<PixelRun*>(block_.base() + layout_.runs); }
  std::uint8_t* sides() const { return reinterpret_cast<std::uint8_t*>(block_.base() + layout_.sides); }
  SiteRecord* records() const { return reinterpret_cast<SiteRecord*>(block_.base() + layout_.records); }
  /// Of the bands of a frame that are measured before their order.
  SiteRecord* early_records(std::uint32_t slot) const {
    return reinterpret_cast<SiteRecord*>(block_.base() + layout_.early_records) +
           std::size_t{slot} * layout_.site_capacity;
  }
  std::byte* slot(std::uint32_t i) const { return block_.base() + layout_.slots + i * layout_.slot_bytes; }

 private:
  SharedBlock block_;
  SharedLayout layout_;
};

}  // namespace datum
