// How blocks of one launch hand over to each other: the last to arrive goes on, or all wait for each other.
#pragma once

#include <cuda_runtime.h>

namespace datum::cuda {

/// Adds one to a counter: what the block has written before its last barrier is seen by whoever sees the sum, and what
/// others wrote before theirs is seen from here on.
__device__ inline unsigned arrive(unsigned int* arrived) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrived) : "memory");
  return before + 1;
}
/// The whole block: whether it is the last of `total` to arrive; then it sees what the others wrote.
__device__ inline bool arrives_last(unsigned int* arrived, unsigned int total, int* flag) {
  __syncthreads();
  if (threadIdx.x == 0) *flag = arrive(arrived) == total;
  __syncthreads();
  return *flag != 0;
}

}  // namespace datum::cuda
