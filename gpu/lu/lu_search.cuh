// The search for a pivot in a warp, and what a candidate is. C++17.
#pragma once

#include "gpu/lu/lu_math.h"

namespace datum::lu {

constexpr unsigned whole_warp = 0xFFFFFFFFu;

/// Magnitudes plus 1; 0: the row is no candidate any more.
__device__ __forceinline__ std::uint32_t warp_max(std::uint32_t key) {
  return __reduce_max_sync(whole_warp, key);
}
__device__ __forceinline__ std::uint64_t warp_max(std::uint64_t key) {
  const unsigned high = static_cast<unsigned>(key >> 32);
  const unsigned top = __reduce_max_sync(whole_warp, high);
  const unsigned low = __reduce_max_sync(whole_warp, high == top ? static_cast<unsigned>(key) : 0u);
  return static_cast<std::uint64_t>(top) << 32 | low;
}

template <class T>
using KeyOf = decltype(magnitude(T{}));

/// A warp's best row for the next pivot. place: position << 16 | row.
template <class T>
struct Candidate;

template <>
struct alignas(8) Candidate<float> {
  std::uint32_t key, place;
};

template <>
struct alignas(16) Candidate<double> {
  std::uint64_t key;
  std::uint32_t place, unused;
};

/// 1 / v, rounded as IEEE 754 says, where has_reciprocal(v); anything elsewhere. What the compiler makes of __frcp_rn but
/// for its branch; volatile, so that it stays where it hides behind the search.
__device__ __forceinline__ float reciprocal_of(float v) {
  float r;
  asm volatile(
      "{\n .reg .f32 q, e, m;\n rcp.approx.ftz.f32 q, %1;\n neg.f32 m, %1;\n"
      " fma.rn.f32 e, m, q, 0f3F800000;\n fma.rn.f32 %0, q, e, q;\n}"
      : "=f"(r)
      : "f"(v));
  return r;
}
__device__ __forceinline__ double reciprocal_of(double v) {
  double r = __drcp_rn(v);
  asm volatile("" : "+d"(r));
  return r;
}
__device__ __forceinline__ float quotient(float a, float b) { return __fdiv_rn(a, b); }
__device__ __forceinline__ double quotient(double a, double b) { return __ddiv_rn(a, b); }

/// What stands for a result that there is none of: std::numeric_limits' quiet NaN.
__device__ __forceinline__ float nothing(float) { return __uint_as_float(0x7FC00000u); }
__device__ __forceinline__ double nothing(double) { return __hiloint2double(0x7FF80000, 0); }

/// Which of the warp's lanes holds the largest key, the lowest position among equals. `mine` of exactly one lane.
template <class Key>
__device__ __forceinline__ bool is_best_lane(Key key, Key largest, std::uint32_t position) {
  const bool equal = key == largest;
  const unsigned all = __ballot_sync(whole_warp, equal);
  if ((all & (all - 1)) == 0) return equal;
  const unsigned lowest = __reduce_min_sync(whole_warp, equal ? position : 0xFFFFFFFFu);
  return equal && position == lowest;
}

}  // namespace datum::lu
