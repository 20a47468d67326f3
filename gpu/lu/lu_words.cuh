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

__device__ __forceinline__ uint2 poll8(const uint2* p) {
  uint2 v;
  asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p) : "memory");
  return v;
}

/// Waits for a word of this launch.
__device__ __forceinline__ std::uint32_t poll_word(const uint2* p, std::uint32_t epoch) {
  uint2 v;
  do v = poll8(p);
  while (v.y != epoch);
  return v.x;
}

__device__ __forceinline__ void post_word(uint2* p, std::uint32_t value, std::uint32_t epoch) {
  asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(value), "r"(epoch) : "memory");
}

/// How a number is posted.
template <class T>
struct Posted;

template <>
struct Posted<float> {
  using Word = uint2;
  __device__ static __forceinline__ void post(uint2* to, float v, std::uint32_t epoch) {
    post_word(to, __float_as_uint(v), epoch);
  }
  /// `count` numbers, `stride` apart, waited for together.
  template <int count>
  __device__ static __forceinline__ void poll(const uint2* from, std::size_t stride, float* v,
                                              std::uint32_t epoch) {
    bool here;
    do {
      here = true;
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const uint2 w = poll8(from + i * stride);
        here = here && w.y == epoch;
        v[i] = __uint_as_float(w.x);
      }
    } while (!here);
  }
};

template <>
struct Posted<double> {
  using Word = uint4;
  __device__ static __forceinline__ void post(uint4* to, double v, std::uint32_t epoch) {
    post16(to, make_uint4(static_cast<std::uint32_t>(__double2loint(v)), epoch,
                          static_cast<std::uint32_t>(__double2hiint(v)), epoch));
  }
  template <int count>
  __device__ static __forceinline__ void poll(const uint4* from, std::size_t stride, double* v,
                                              std::uint32_t epoch) {
    bool here;
    do {
      here = true;
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const uint4 w = poll16(from + i * stride);
        here = here && w.y == epoch && w.w == epoch;
        v[i] = __hiloint2double(static_cast<int>(w.z), static_cast<int>(w.x));
      }
    } while (!here);
  }
};

}  // namespace datum::lu
