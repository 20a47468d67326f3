#include "daemon/gpu_worker/shared_memory.h"

#include <new>

#include "gpu/core/gpu_error.h"

namespace datum {

SharedMemory SharedMemory::create(const SharedLayout& layout) {
  SharedMemory m;
  m.layout_ = layout;
  m.block_ = SharedBlock::create(layout.total);
  new (m.block_.base()) Mailbox{};
  for (std::uint32_t i = 0; i < layout.slot_count; ++i) new (&m.progress(i)) SlotProgress{};
  return m;
}

SharedMemory SharedMemory::map(int fd, const SharedLayout& layout) {
  // Far above any frame and number of slots, and small enough that their product does not overflow.
  constexpr std::uint64_t most_slot_bytes = std::uint64_t{1} << 40, most_slots = 1 << 12;
  SharedMemory m;
  m.layout_ = layout;
  const bool known =
      layout.slot_bytes <= most_slot_bytes && layout.slot_count <= most_slots &&
      layout == layout_of(layout.site_capacity, layout.run_capacity, layout.slot_bytes, layout.slot_count);
  m.block_ = SharedBlock::map(fd, known ? layout.total : 0);
  return m;
}

}  // namespace datum
