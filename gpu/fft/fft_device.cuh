// One transform by the threads of a block that share it: values stay in registers for a pass and change places through
// shared memory between passes.
#pragma once

#include <cuda_runtime.h>

#include "gpu/fft/fft_math.h"

namespace datum::fft {

/// Passes of a length, known to the compiler.
template <unsigned n>
struct Radices {
  int passes = 0, radix[most_passes] = {}, done[most_passes] = {}, first[most_passes] = {};
  constexpr Radices() {
    passes = radices_of(n, radix);
    int product = 1, begin = 0;
    for (int p = 0; p < passes; ++p) {
      done[p] = product;
      first[p] = begin;
      if (p > 0) begin += (radix[p] - 1) * product;
      product *= radix[p];
    }
  }
};

constexpr int log2_of(unsigned n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

template <class Word>
struct Pair;
template <>
struct Pair<float> {
  using Type = float2;
};
template <>
struct Pair<double> {
  using Type = double2;
};

/// A block of `transforms` transforms of n points, each by `threads` threads that hold `each` values: those of places
/// thread + i threads. `split`: real and imaginary parts change places one after the other, in half the memory.
template <class Scalar, unsigned n, int each_, int transforms_, bool split_ = false, class Plan = Radices<n>>
struct Shape {
  using S = Scalar;
  using Word = typename S::Word;
  using V = Value<S>;
  using Two = typename Pair<Word>::Type;
  static constexpr unsigned points = n;
  static constexpr int each = each_, threads = static_cast<int>(n) / each_, transforms = transforms_;
  static constexpr bool split = split_;
  static constexpr Plan plan{};
  // Rows of shared memory as long as the first pass leaves them, one value apart: no two lanes meet in a bank.
  static constexpr int row_bits = log2_of(static_cast<unsigned>(plan.radix[0]));
  static constexpr unsigned padded = n + (n >> row_bits);
  static constexpr unsigned shared_bytes = plan.passes > 1 ? padded*(split ? sizeof(Word) : 2 * sizeof(Word))
                                                           : 0;

  static __device__ __forceinline__ unsigned place(unsigned i) { return i + (i >> row_bits); }
  static __device__ __forceinline__ unsigned thread() { return threadIdx.x % threads; }
  static __device__ __forceinline__ unsigned group() { return threadIdx.x / threads; }
  /// All threads of the transform meet.
  static __device__ __forceinline__ void meet() {
    if constexpr (threads <= 32) {
      __syncwarp();
    } else if constexpr (transforms == 1) {
      __syncthreads();
    } else {
      asm volatile("bar.sync %0, %1;" ::"r"(group() + 1), "n"(threads) : "memory");
    }
  }
};

/// Values from where a pass of radix R after `done` leaves them to where the next one reads them.
template <class Sh, int radix, int done>
__device__ __forceinline__ unsigned left_at(unsigned j, int r) {
  return (j / done) * (done * radix) + j % done + static_cast<unsigned>(r) * done;
}

template <class Sh, int radix, int done, bool imaginary>
__device__ __forceinline__ void exchange_part(typename Sh::V* v, typename Sh::Word* shared, unsigned t) {
  constexpr int m = Sh::each / radix;
#pragma unroll
  for (int q = 0; q < m; ++q)
#pragma unroll
    for (int r = 0; r < radix; ++r) {
      const typename Sh::V& x = v[q + r * m];
      shared[Sh::place(left_at<Sh, radix, done>(t + q * Sh::threads, r))] = imaginary ? x.im : x.re;
    }
  Sh::meet();
#pragma unroll
  for (int i = 0; i < Sh::each; ++i) {
    const typename Sh::Word x = shared[Sh::place(t + i * Sh::threads)];
    if (imaginary) {
      v[i].im = x;
    } else {
      v[i].re = x;
    }
  }
}

template <class Sh, int radix, int done>
__device__ __forceinline__ void exchange(typename Sh::V* v, void* memory, unsigned t) {
  constexpr int m = Sh::each / radix;
  if constexpr (Sh::split) {
    auto* shared = static_cast<typename Sh::Word*>(memory);
    exchange_part<Sh, radix, done, false>(v, shared, t);
    Sh::meet();
    exchange_part<Sh, radix, done, true>(v, shared, t);
  } else {
    auto* shared = static_cast<typename Sh::Two*>(memory);
#pragma unroll
    for (int q = 0; q < m; ++q)
#pragma unroll
      for (int r = 0; r < radix; ++r) {
        const typename Sh::V& x = v[q + r * m];
        shared[Sh::place(left_at<Sh, radix, done>(t + q * Sh::threads, r))] = typename Sh::Two{x.re, x.im};
      }
    Sh::meet();
#pragma unroll
    for (int i = 0; i < Sh::each; ++i) {
      const typename Sh::Two x = shared[Sh::place(t + i * Sh::threads)];
      v[i] = {x.x, x.y};
    }
  }
}

/// Passes from p on. v holds the values of places t + i threads before, and after.
template <class Sh, int p = 0>
__device__ __forceinline__ void transform(typename Sh::V* v, void* shared, unsigned t,
                                          const Root<typename Sh::Word>* __restrict__ root) {
  constexpr int radix = Sh::plan.radix[p], done = Sh::plan.done[p], m = Sh::each / radix;
  static_assert(Sh::each % radix == 0, "a thread does whole butterflies");
#pragma unroll
  for (int q = 0; q < m; ++q) {
    typename Sh::V w[radix];
#pragma unroll
    for (int r = 0; r < radix; ++r) {
      w[r] = v[q + r * m];
      if (p > 0 && r > 0) {
        const auto* at = reinterpret_cast<const typename Sh::Two*>(root + Sh::plan.first[p] + (r - 1) * done +
                                                                   (t + q * Sh::threads) % done);
        const typename Sh::Two x = __ldg(at);
        w[r] = times(w[r], Root<typename Sh::Word>{x.x, x.y});
      }
    }
    dft<radix>(w);
#pragma unroll
    for (int r = 0; r < radix; ++r) v[q + r * m] = w[r];
  }
  if constexpr (p + 1 < Sh::plan.passes) {
    if (p > 0) Sh::meet();  // all have read what the exchange before left
    exchange<Sh, radix, done>(v, shared, t);
    transform<Sh, p + 1>(v, shared, t, root);
  }
}

}  // namespace datum::fft
