// Validity and bounds scan: how many points of a plane have a height, and whether these lie inside the bounds.
#pragma once

#include "gpu/plane_fit/batch.cuh"
#include "gpu/plane_fit/point_sources.cuh"
#include "gpu/plane_fit/warp.cuh"

namespace datum::cuda {

using plane_math::has_height;

/// The larger of two, or NaN where one is.
__device__ inline float larger(float a, float b) {
  float most;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
  return most;
}

/// The share of one thread.
struct ThreadScan {
  unsigned valid = 0;
  bool outside = false;

  template <bool Bounded>
  __device__ void add(const PlaneTask& task, const Quad& q) {
    if constexpr (Bounded) {
#pragma unroll
      for (const float z : q.z) valid += has_height(z);
    } else {
      // One test for four points: a sum is finite only if all its terms are, and nearly all quads pass.
      const float z = (q.z[0] + q.z[1]) + (q.z[2] + q.z[3]);
      const float x = larger(larger(fabsf(q.x[0]), fabsf(q.x[1])), larger(fabsf(q.x[2]), fabsf(q.x[3])));
      const float y = larger(larger(fabsf(q.y[0]), fabsf(q.y[1])), larger(fabsf(q.y[2]), fabsf(q.y[3])));
      if (has_height(z) && x <= task.half_x && y <= task.half_y) {
        valid += 4;
      } else {
        add_each(task, q);
      }
    }
  }
  __device__ void add_each(const PlaneTask& task, const Quad& q) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      const float x = i == 0 ? q.x[0] : i == 1 ? q.x[1] : i == 2 ? q.x[2] : q.x[3];
      const float y = i == 0 ? q.y[0] : i == 1 ? q.y[1] : i == 2 ? q.y[2] : q.y[3];
      const float z = i == 0 ? q.z[0] : i == 1 ? q.z[1] : i == 2 ? q.z[2] : q.z[3];
      const bool height = has_height(z);
      valid += height;
      outside |= height && !(fabsf(x) <= task.half_x && fabsf(y) <= task.half_y);
    }
  }
  /// The whole warp adds its sums to the plane.
  __device__ void report(PlaneWork* work) const {
    const unsigned sum = __reduce_add_sync(whole_warp, valid);
    const bool any = __any_sync(whole_warp, outside);
    if (threadIdx.x % 32 != 0) return;
    if (sum > 0) atomicAdd(&work->valid, sum);
    if (any) atomicOr(&work->outside, 1u);
  }
};

}  // namespace datum::cuda
