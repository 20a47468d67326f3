#include "gpu/core/cuda_page_lock.h"

#include <cuda_runtime.h>

namespace datum {

std::shared_ptr<void> cuda_page_lock(std::byte* base, std::uint64_t bytes) {
  if (cudaHostRegister(base, bytes, cudaHostRegisterDefault) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return std::shared_ptr<void>(base, [](void* at) {
    if (cudaHostUnregister(at) != cudaSuccess) cudaGetLastError();
  });
}

}  // namespace datum
