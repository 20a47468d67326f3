#include "gpu/core/cuda_device.h"

#include "gpu/core/cuda_support.cuh"

namespace datum {
namespace {

__global__ void answer(int* out) { *out = 42; }

/// Whether this build's code loads and runs there.
std::string trial() {
  int* memory = nullptr;
  int value = 0;
  cudaError_t error = cudaMalloc(&memory, sizeof *memory);
  if (error == cudaSuccess) {
    answer<<<1, 1>>>(memory);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(memory);
  cudaGetLastError();
  if (error != cudaSuccess) return cudaGetErrorString(error);
  return value == 42 ? "" : "a first kernel gave a wrong number";
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

CudaDevice probe_cuda_device() {
  CudaDevice d;
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    cudaGetLastError();
    d.why = std::string("no CUDA device: ") +
            (error == cudaSuccess ? "none is listed" : cudaGetErrorString(error)) + "; look at nvidia-smi";
    return d;
  }
  cudaDeviceProp p{};
  error = cudaGetDeviceProperties(&p, 0);
  if (error != cudaSuccess) {
    d.why = std::string("the CUDA device does not answer: ") + cudaGetErrorString(error);
    return d;
  }
  d.name = p.name;
  d.major = p.major;
  d.minor = p.minor;
  d.multiprocessors = p.multiProcessorCount;
  d.memory_bytes = p.totalGlobalMem;
  d.integrated = p.integrated != 0;
  const std::string who =
      d.name + ", compute capability " + std::to_string(d.major) + "." + std::to_string(d.minor);
  if (d.major < 8) {
    d.why = who + " is too old; 8.0 or newer is needed";
    return d;
  }
  const std::string failure = trial();
  if (!failure.empty()) {
    d.why = who + " does not run this build's code: " + failure;
    return d;
  }
  std::size_t total = 0;
  cudaMemGetInfo(&d.free_bytes, &total);
  int driver = 0;
  cudaDriverGetVersion(&driver);
  d.usable = true;
  d.why = who + ", " + std::to_string(d.free_bytes >> 20) + " MiB free, driver for CUDA " +
          version_text(driver) + ", built with " + cuda_build();
  return d;
}

std::string cuda_build() { return "CUDA " + version_text(CUDART_VERSION); }

}  // namespace datum
