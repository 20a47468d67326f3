// Host memory held in place, so that a device copies from and to it at the bus's speed: 54 GB/s in place of 6 (gpu/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace datum {

/// Locks whole pages from `base` on while the handle lives. Null where that is refused: copies are slower then, nothing else.
std::shared_ptr<void> cuda_page_lock(std::byte* base, std::uint64_t bytes);

}  // namespace datum
