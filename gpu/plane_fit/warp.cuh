// Sums, prefix sums and copies by a warp.
#pragma once

#include <cstdint>

#include "gpu/core/cuda_dialect.cuh"

namespace datum::cuda {

constexpr unsigned whole_warp = 0xFFFFFFFFu;

/// Sum over a warp, exact for |v| < 2^52.
__device__ inline long long warp_sum(long long v) {
  const unsigned low = __reduce_add_sync(whole_warp, static_cast<unsigned>(v) & 0x3FFFFFFu);
  const int high = __reduce_add_sync(whole_warp, static_cast<int>(v >> 26));
  return (static_cast<long long>(high) << 26) + low;
}

/// Inclusive prefix sum over the lanes of a warp.
__device__ __forceinline__ std::uint32_t inclusive_prefix_sum(std::uint32_t sum, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(whole_warp, sum, step);
    if (lane >= step) sum += other;
  }
  return sum;
}

/// A warp copies what another block wrote; __ldcg bypasses the L1 cache, which may be stale.
template <class T>
__device__ void copy_by_warp(T* to, const T* from) {
  static_assert(sizeof(T) % 4 == 0, "whole words");
#pragma unroll
  for (unsigned i = threadIdx.x % 32; i < sizeof(T) / 4; i += 32)
    reinterpret_cast<std::uint32_t*>(to)[i] = __ldcg(reinterpret_cast<const std::uint32_t*>(from) + i);
  __syncwarp();
}

}  // namespace datum::cuda
