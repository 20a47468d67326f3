// Both triangular solves for one right-hand side by one block of threads: a thread holds rows tid + r * threads, every step
// hands one unknown to all. Ascending and descending k with one fma each, as on the CPU. C++17.
#pragma once

#include "gpu/lu/lu_search.cuh"

namespace datum::lu {

template <class T>
struct SubstituteWork {
  const T* factors;
  const std::uint16_t* order;  // order[k]: the row of b that became row k
  const std::int32_t* info;
  const T* b;
  T* x;
  std::uint32_t n, columns;          // of b for each matrix
  std::size_t leading, matrix_size;  // of the factors: elements from column to column, from matrix to matrix
};

constexpr int substitute_threads = 256, substitute_rows = 4, substitute_ahead = 8;

template <class T>
__global__ void __launch_bounds__(substitute_threads) substitute(SubstituteWork<T> w) {
  __shared__ T known[2];
  const int n = static_cast<int>(w.n), tid = static_cast<int>(threadIdx.x);
  const std::size_t matrix = blockIdx.x / w.columns;
  const T* const f = w.factors + matrix * w.matrix_size;
  const std::uint16_t* const order = w.order + matrix * w.n;
  const T* const b = w.b + std::size_t{blockIdx.x} * w.n;
  T* const to = w.x + std::size_t{blockIdx.x} * w.n;
  T x[substitute_rows], l[substitute_ahead][substitute_rows];
#pragma unroll
  for (int r = 0; r < substitute_rows; ++r) {
    const int row = tid + r * substitute_threads;
    x[r] = row < n ? b[order[row]] : T{0};
  }
  // `backward`: step k is column n - 1 - k. Columns are read some steps before they are needed.
  const auto sweep = [&](bool backward) {
    for (int first = 0; first < n; first += substitute_ahead) {
#pragma unroll
      for (int i = 0; i < substitute_ahead; ++i)
#pragma unroll
        for (int r = 0; r < substitute_rows; ++r) {
          const int row = tid + r * substitute_threads, k = backward ? n - 1 - first - i : first + i;
          l[i][r] = row < n && k >= 0 && k < n ? f[static_cast<std::size_t>(k) * w.leading + row] : T{0};
        }
#pragma unroll
      for (int i = 0; i < substitute_ahead; ++i) {
        if (first + i >= n) break;
        const int k = backward ? n - 1 - first - i : first + i;
#pragma unroll
        for (int r = 0; r < substitute_rows; ++r)
          if (tid + r * substitute_threads == k) {
            if (backward) x[r] = quotient(x[r], l[i][r]);
            known[i % 2] = x[r];
          }
        __syncthreads();
        const T u = known[i % 2];
#pragma unroll
        for (int r = 0; r < substitute_rows; ++r) {
          const int row = tid + r * substitute_threads;
          if (backward ? row < k : row > k) x[r] = fused(-l[i][r], u, x[r]);
        }
      }
    }
    __syncthreads();
  };
  sweep(false);
  sweep(true);
  const bool solved = w.info[matrix] == 0;
#pragma unroll
  for (int r = 0; r < substitute_rows; ++r) {
    const int row = tid + r * substitute_threads;
    if (row < n) to[row] = solved ? x[r] : nothing(T{});
  }
}

}  // namespace datum::lu
