// Protocol between the daemon and the GPU process: a greeting, and the layout of shared memory.
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "daemon/gpu_worker/shared_memory.h"
#include "gpu/core/gpu_error.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

using namespace datum;

template <class T>
static T begins_with(std::string_view bytes) {
  T value{};
  std::memcpy(static_cast<void*>(&value), bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

static void greet(std::string_view bytes) {
  auto greeting = begins_with<Greeting>(bytes);
  difference(greeting.identity);
  fuzz::expect(get_text(greeting.why).size() <= sizeof greeting.why, "a text within its array");
}

/// A memory of the claimed size, where that is small.
static void map(const SharedLayout& layout) {
  constexpr std::uint64_t largest = 1 << 18;
  fuzz::MemoryFile file;
  if (layout.total > largest || ::ftruncate(file.fd(), static_cast<off_t>(layout.total)) != 0) return;
  try {
    const SharedMemory memory = SharedMemory::map(::dup(file.fd()), layout);
    for (std::uint32_t i = 0; i < std::min(layout.slot_count, 4u); ++i) {
      const std::uint64_t end = layout.slots + (i + std::uint64_t{1}) * layout.slot_bytes;
      fuzz::expect(end >= layout.slots && end <= layout.total, "each slot lies in the memory");
    }
    fuzz::expect(layout.progress + std::uint64_t{layout.slot_count} * sizeof(SlotProgress) <= layout.sites,
                 "the slots' words before the sites");
    fuzz::expect(layout.records + std::uint64_t{layout.site_capacity} * sizeof(SiteRecord) <= layout.slots,
                 "records before slots");
  } catch (const GpuError&) {
  }
}

DATUM_FUZZ_TARGET(gpu_wire) {
  greet(bytes);
  auto order = begins_with<SharedLayout>(bytes);
  map(order);
  // With consistent offsets, which a fuzzer does not find.
  map(layout_of(order.site_capacity % 64, order.run_capacity % 4096, order.slot_bytes, order.slot_count));
}
