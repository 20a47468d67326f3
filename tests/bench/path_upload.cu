#include <cuda_runtime.h>

#include <chrono>
#include <cstring>

#include "tests/bench/path_floor.h"

namespace datum::bench {

namespace {

std::vector<double> uploads_ms(void* device, const void* host, std::size_t bytes, int repeats) {
  std::vector<double> ms;
  for (int i = -2; i < repeats; ++i) {  // two to warm up
    const auto from = std::chrono::steady_clock::now();
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - from;
    if (i >= 0) ms.push_back(took.count());
  }
  return ms;
}

}  // namespace

std::vector<FloorRow> upload_rows(std::size_t bytes, int repeats) {
  void *device = nullptr, *pinned = nullptr;
  if (cudaMalloc(&device, bytes) != cudaSuccess || cudaMallocHost(&pinned, bytes) != cudaSuccess) {
    cudaFree(device);
    return {};
  }
  std::memset(pinned, 1, bytes);
  const std::vector<char> pageable(bytes, 1);
  std::vector<FloorRow> rows;
  rows.push_back({"upload from pageable memory", uploads_ms(device, pageable.data(), bytes, repeats)});
  rows.push_back({"upload from pinned memory", uploads_ms(device, pinned, bytes, repeats)});
  cudaFreeHost(pinned);
  cudaFree(device);
  return rows;
}

}  // namespace datum::bench
