// How blocks of threads hand numbers to each other through the cache: each number travels with the launch's number beside
// it, eight bytes that are written at once, so that whoever waits for it polls the number itself. No fence, no flag. C++17.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace datum::lu {

__device__ __forceinline__ uint4 poll16(const uint4* p) {
  uint4 v;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}

__device__ __forceinline__ void post16(uint4* p, uint4 v) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

/// Waits for a word of this launch.
__device__ __forceinline__ std::uint32_t poll_word(const uint2* p, std::uint32_t epoch) {
  std::uint32_t value, tag;
  do {
    asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(tag) : "l"(p) : "memory");
  } while (tag != epoch);
  return value;
}

__device__ __forceinline__ void post_word(uint2* p, std::uint32_t value, std::uint32_t epoch) {
  asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(value), "r"(epoch) : "memory");
}

/// `count` numbers of one row of a panel: two floats or one double in 16 bytes.
template <class T, int count>
struct Posted;

template <int count>
struct Posted<float, count> {
  static constexpr int words = count / 2;
  __device__ static __forceinline__ void post(uint4* to, const float* v, std::uint32_t epoch) {
#pragma unroll
    for (int i = 0; i < words; ++i)
      post16(to + i, make_uint4(__float_as_uint(v[2 * i]), epoch, __float_as_uint(v[2 * i + 1]), epoch));
  }
  __device__ static __forceinline__ void poll(const uint4* from, float* v, std::uint32_t epoch) {
    bool here;
    do {
      here = true;
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const uint4 w = poll16(from + i);
        here = here && w.y == epoch && w.w == epoch;
        v[2 * i] = __uint_as_float(w.x);
        v[2 * i + 1] = __uint_as_float(w.z);
      }
    } while (!here);
  }
};

template <int count>
struct Posted<double, count> {
  static constexpr int words = count;
  __device__ static __forceinline__ void post(uint4* to, const double* v, std::uint32_t epoch) {
#pragma unroll
    for (int i = 0; i < words; ++i)
      post16(to + i, make_uint4(static_cast<std::uint32_t>(__double2loint(v[i])), epoch,
                                static_cast<std::uint32_t>(__double2hiint(v[i])), epoch));
  }
  __device__ static __forceinline__ void poll(const uint4* from, double* v, std::uint32_t epoch) {
    bool here;
    do {
      here = true;
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const uint4 w = poll16(from + i);
        here = here && w.y == epoch && w.w == epoch;
        v[i] = __hiloint2double(static_cast<int>(w.z), static_cast<int>(w.x));
      }
    } while (!here);
  }
};

}  // namespace datum::lu
