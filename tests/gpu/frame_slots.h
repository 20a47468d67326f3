// Frame slots without a daemon, for what measures in them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "gpu/board/slot_measurer.h"
#include "tests/gpu/map_scene.h"

namespace datum::testing {

/// Page-aligned memory as the daemon's frame slots are: anonymous, shared.
class FrameSlots {
 public:
  FrameSlots(std::size_t frame_bytes, int count) {
    constexpr std::size_t page = 4096;
    memory_.slot_bytes = (frame_bytes + page - 1) / page * page;
    memory_.slots = count;
    memory_.base = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_.base == MAP_FAILED) throw std::runtime_error("no memory for frame slots");
  }
  ~FrameSlots() { munmap(memory_.base, size()); }
  FrameSlots(const FrameSlots&) = delete;
  FrameSlots& operator=(const FrameSlots&) = delete;
  const SlotMemory& memory() const { return memory_; }
  char* slot(int i) const {
    return static_cast<char*>(memory_.base) + memory_.slot_bytes * static_cast<std::size_t>(i);
  }
  /// A frame, and other heights behind it: a slot is larger than its frame, and was used before.
  void fill(int i, const MapScene& m) const {
    std::memset(slot(i), 0x11, memory_.slot_bytes);
    std::memcpy(slot(i), m.memory.data(), m.bytes());
  }

 private:
  std::size_t size() const { return memory_.slot_bytes * static_cast<std::size_t>(memory_.slots); }
  SlotMemory memory_;
};

}  // namespace datum::testing
