// The build without CUDA.
#include "gpu/core/cuda_page_lock.h"

namespace datum {

std::shared_ptr<void> cuda_page_lock(std::byte*, std::uint64_t) { return nullptr; }

}  // namespace datum
