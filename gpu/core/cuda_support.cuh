// What every .cu shares on the host side: errors that throw, memory that frees itself.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

/// Tells the processor that this is a loop of waiting.
inline void spin_pause() {
#if defined(__x86_64__)
  asm volatile("pause");
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until done() says so, spinning: a wait that sleeps costs more than most boards. Every 20 us it looks whether
/// the stream has failed, or is empty though nothing is done. Throws GpuError then, and when it is not done within
/// `timeout`: a device that does not answer is lost.
template <class Done>
void wait_until(Done done, cudaStream_t stream, std::chrono::milliseconds timeout, const char* what) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  Clock::time_point look = begin + std::chrono::microseconds(20);
  for (;;) {
    for (int i = 0; i < 16; ++i) {
      if (done()) return;
      spin_pause();
    }
    const Clock::time_point now = Clock::now();
    if (now - begin > timeout)
      throw GpuError(
          std::string("CUDA: ") + what + " was not done within " + std::to_string(timeout.count()) + " ms",
          true);
    if (now < look) continue;
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaErrorNotReady) {
      cudaGetLastError();  // or the next launch seems to have failed
    } else {
      check(state, what);
      if (done()) return;
      throw GpuError(std::string("CUDA: ") + what + " ended without an answer", true);
    }
    look = now + std::chrono::microseconds(20);
  }
}

/// The same until the stream is empty.
inline void wait(cudaStream_t stream, std::chrono::milliseconds timeout, const char* what) {
  const auto empty = [&] {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaErrorNotReady) {
      cudaGetLastError();
      return false;
    }
    check(state, what);
    return true;
  };
  wait_until(empty, stream, timeout, what);
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

// What prepare() writes to the device. It is there when these return, whatever stream reads it next: a stream that does
// not wait for the default one could overtake it.

/// Room for the values, at least one, and the values in it.
template <class T>
void to_device(Buffer<T>& buffer, const std::vector<T>& values, const char* what) {
  buffer.reserve(std::max<std::size_t>(values.size(), 1));
  if (values.empty()) return;
  check(cudaMemcpy(buffer.get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), what);
  check(cudaStreamSynchronize(nullptr), what);
}

/// Room for `count`, at least one, all bytes 0.
template <class T>
void zeroed(Buffer<T>& buffer, std::size_t count, const char* what) {
  buffer.reserve(std::max<std::size_t>(count, 1));
  check(cudaMemset(buffer.get(), 0, std::max<std::size_t>(count, 1) * sizeof(T)), what);
  check(cudaStreamSynchronize(nullptr), what);
}

}  // namespace datum::cuda
