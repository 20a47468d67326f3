// What every .cu shares on the host side: errors that throw, memory that frees itself.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "gpu/core/gpu_error.h"

namespace datum::cuda {

/// Throws GpuError naming what was tried. Errors that leave the context unusable say so.
inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  const bool refused = error == cudaErrorMemoryAllocation || error == cudaErrorInvalidValue ||
                       error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
                       error == cudaErrorNoKernelImageForDevice || error == cudaErrorNotReady;
  cudaGetLastError();  // an error that is not sticky must not be reported again by the next call
  throw GpuError(
      std::string("CUDA: ") + what + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")",
      !refused);
}

/// Waits until the stream is empty, spinning: a wait that sleeps costs more than most boards. Throws GpuError when it is
/// not within `patience`; a device that does not answer is lost.
inline void wait(cudaStream_t stream, std::chrono::milliseconds patience, const char* what) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaSuccess) return;
    if (state != cudaErrorNotReady) check(state, what);
    if (std::chrono::steady_clock::now() > deadline)
      throw GpuError(
          std::string("CUDA: ") + what + " was not done within " + std::to_string(patience.count()) + " ms",
          true);
  }
}

/// Memory of the device or, pinned and mapped, of the host; grows, never shrinks.
enum class Where { device, host_mapped };

template <class T>
class Buffer {
 public:
  explicit Buffer(Where where = Where::device) : where_(where) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { release(); }

  /// Room for `count`; what it held is lost where it must grow.
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    release();
    void* memory = nullptr;
    if (where_ == Where::device) {
      check(cudaMalloc(&memory, count * sizeof(T)), "device memory");
    } else {
      check(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable),
            "pinned memory");
    }
    data_ = static_cast<T*>(memory);
    capacity_ = count;
  }
  T* get() const { return data_; }
  std::size_t capacity() const { return capacity_; }

 private:
  void swap(Buffer& other) {
    std::swap(where_, other.where_);
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
  }
  void release() {
    if (!data_) return;
    if (where_ == Where::device) {
      cudaFree(data_);
    } else {
      cudaFreeHost(data_);
    }
    data_ = nullptr;
    capacity_ = 0;
  }

  Where where_ = Where::device;
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace datum::cuda
