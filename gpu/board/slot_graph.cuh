// What a captured board needs of the CUDA runtime, as objects that free themselves.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "gpu/board/frame_pieces.h"
#include "gpu/board/slot_measurer.h"
#include "gpu/core/cuda_stream.cuh"
#include "gpu/core/cuda_support.cuh"

namespace datum::cuda {

/// A captured board, ready to be launched.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;
  ~Graph() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  /// `enqueue` is called once; nothing of it runs yet.
  template <class Enqueue>
  void capture(cudaStream_t stream, Enqueue enqueue) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture of a board");
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "capture of a board");
#if CUDART_VERSION >= 11070
    constexpr unsigned flags = cudaGraphInstantiateFlagUseNodePriority;  // what the streams had
#else
    constexpr unsigned flags = 0;
#endif
    const cudaError_t made = cudaGraphInstantiateWithFlags(&exec_, graph, flags);
    cudaGraphDestroy(graph);
    check(made, "graph of a board");
    check(cudaGraphUpload(exec_, stream), "upload of a graph");
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(exec_, stream), "launch of a board"); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

/// Frame slots as the device sees them.
class Registration {
 public:
  explicit Registration(const SlotMemory& memory) : memory_(memory) {
    if (!memory.base || memory.slots < 1 || memory.slot_bytes % piece_bytes != 0)
      throw GpuError("frame slots: " + std::to_string(memory.slots) + " of " +
                         std::to_string(memory.slot_bytes) + " bytes; allowed: 1 or more, whole pages",
                     false);
    const std::size_t size = memory.slot_bytes * static_cast<std::size_t>(memory.slots);
    const cudaError_t error =
        cudaHostRegister(memory.base, size, cudaHostRegisterMapped | cudaHostRegisterPortable);
    if (error == cudaErrorHostMemoryAlreadyRegistered) {
      cudaGetLastError();
    } else {
      check(error, "registration of the frame slots");
      owned_ = true;
    }
    const cudaError_t mapped = cudaHostGetDevicePointer(&device_, memory.base, 0);
    if (mapped != cudaSuccess) release();
    check(mapped, "frame slots in the device's address space");
  }
  ~Registration() { release(); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  const SlotMemory& memory() const { return memory_; }
  const void* host(int slot) const { return static_cast<const char*>(memory_.base) + offset(slot); }
  const void* device(int slot) const { return static_cast<const char*>(device_) + offset(slot); }

 private:
  std::size_t offset(int slot) const { return memory_.slot_bytes * static_cast<std::size_t>(slot); }
  void release() {
    if (owned_) cudaHostUnregister(memory_.base);
    owned_ = false;
  }

  SlotMemory memory_;
  bool owned_ = false;
  void* device_ = nullptr;
};

}  // namespace datum::cuda
