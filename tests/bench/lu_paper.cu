// The LU paper's kernel, written from its text: one block of threads walks the blocks of the matrix in global
// memory, with two barriers for each column of blocks. Its search for the least element is read as the largest.
#include <cstdint>

#include "gpu/core/cuda_support.cuh"
#include "tests/bench/lu_rows.h"

namespace datum::bench {
namespace {

template <int threads, class T>
__device__ void exchange_pivot(T* a, int n, int k, int tid) {
  __shared__ T largest[threads];
  __shared__ int row[threads];
  T mine = -1;
  int at = k;
  for (int i = k + tid; i < n; i += threads) {
    const T v = a[i + k * n] < 0 ? -a[i + k * n] : a[i + k * n];
    if (v > mine) {
      mine = v;
      at = i;
    }
  }
  largest[tid] = mine;
  row[tid] = at;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (tid < half && (largest[tid + half] > largest[tid] ||
                       (largest[tid + half] == largest[tid] && row[tid + half] < row[tid]))) {
      largest[tid] = largest[tid + half];
      row[tid] = row[tid + half];
    }
    __syncthreads();
  }
  const int p = row[0];
  for (int j = tid; j < n && p != k; j += threads) {
    const T v = a[k + j * n];
    a[k + j * n] = a[p + j * n];
    a[p + j * n] = v;
  }
  __syncthreads();
}

template <int side, bool pivots, class T>
__global__ void __launch_bounds__(side* side) factor_in_one_block(T* a, int n) {
  for (int k = 0; k < n; ++k) {
    if (pivots) exchange_pivot<side * side>(a, n, k, static_cast<int>(threadIdx.y * side + threadIdx.x));
    for (int bj = k / side; bj <= (n - 1) / side; ++bj) {
      const int j = bj * side + static_cast<int>(threadIdx.y);
      if (j == k)
        for (int i = k / side * side + static_cast<int>(threadIdx.x); i < n; i += side)
          if (i > k) a[i + j * n] /= a[k + k * n];
      __syncthreads();
      if (j > k && j < n)
        for (int i = k / side * side + static_cast<int>(threadIdx.x); i < n; i += side)
          if (i > k) a[i + j * n] -= a[k + j * n] * a[i + k * n];
      __syncthreads();
    }
  }
}

template <bool pivots, class T>
auto kernel_of(int side) {
  return side == 16  ? factor_in_one_block<16, pivots, T>
         : side == 8 ? factor_in_one_block<8, pivots, T>
         : side == 4 ? factor_in_one_block<4, pivots, T>
         : side == 2 ? factor_in_one_block<2, pivots, T>
                     : factor_in_one_block<1, pivots, T>;
}

}  // namespace

template <class T>
LuPeer lu_paper(const T* from, std::uint32_t n, int side, bool pivots) {
  const auto kernel = pivots ? kernel_of<true, T>(side) : kernel_of<false, T>(side);
  auto a = std::make_shared<cuda::Buffer<T>>();
  a->reserve(n * std::size_t{n});
  return {"the paper's block", [=](cudaStream_t s) {
            cuda::check(
                cudaMemcpyAsync(a->get(), from, n * std::size_t{n} * sizeof(T), cudaMemcpyDeviceToDevice, s),
                "copy");
            kernel<<<1, dim3(side, side), 0, s>>>(a->get(), static_cast<int>(n));
            cuda::check(cudaGetLastError(), "launch of the paper's kernel");
          }};
}

template LuPeer lu_paper(const float*, std::uint32_t, int, bool);
template LuPeer lu_paper(const double*, std::uint32_t, int, bool);

}  // namespace datum::bench
