// Least-squares plane by one warp: the same operations in the same order as solve(), independent ones side by side.
#pragma once

#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/warp.cuh"

namespace datum::cuda {

using plane_math::Base;

/// central() for so few points that all products are exact in double: n^2 * 2^26 < 2^53.
constexpr double few_points = 11585;
__device__ inline double central_of_few(double n, double uv, double u, double v) {
  return fma(-u, v, n * uv);
}

/// solve() from central moments by one warp: three lanes divide.
__device__ inline plane_math::Solution solution_in_warp(const plane_math::Central& m, const Base& base,
                                                        double least) {
  if (!m.span(least)) return plane_math::Solution{};
  const int lane = threadIdx.x % 32;
  const double inverse = 1 / (lane == 0 ? m.det() : lane == 1 ? m.n : double(base.scale_r));
  const plane_math::Inverse per{__shfl_sync(whole_warp, inverse, 0), __shfl_sync(whole_warp, inverse, 1),
                                __shfl_sync(whole_warp, inverse, 2)};
  return plane_math::solution_of(m, per, base);
}

/// solve() by one warp, lane k < 10 holding the k-th of the moments. All lanes get the solution.
__device__ inline plane_math::Solution solve_in_warp(long long moment, const Base& base) {
  const int lane = threadIdx.x % 32;
  // Lanes 0 to 5 compute the central moments xx, xy, yy, xr, yr, rr.
  const int u = lane == 2 || lane == 4 ? 2 : lane == 5 ? 3 : 1, v = lane == 0 ? 1 : lane < 3 ? 2 : 3;
  const double sum = static_cast<double>(moment);
  plane_math::Central m;
  m.n = __shfl_sync(whole_warp, sum, 0);
  m.x = __shfl_sync(whole_warp, sum, 1);
  m.y = __shfl_sync(whole_warp, sum, 2);
  m.r = __shfl_sync(whole_warp, sum, 3);
  const double mine =
      m.n <= few_points
          ? central_of_few(m.n, __shfl_sync(whole_warp, sum, 4 + lane % 6), __shfl_sync(whole_warp, sum, u),
                           __shfl_sync(whole_warp, sum, v))
          : plane_math::central(__shfl_sync(whole_warp, moment, 0),
                                __shfl_sync(whole_warp, moment, 4 + lane % 6),
                                __shfl_sync(whole_warp, moment, u), __shfl_sync(whole_warp, moment, v));
  m.xx = __shfl_sync(whole_warp, mine, 0);
  m.xy = __shfl_sync(whole_warp, mine, 1);
  m.yy = __shfl_sync(whole_warp, mine, 2);
  m.xr = __shfl_sync(whole_warp, mine, 3);
  m.yr = __shfl_sync(whole_warp, mine, 4);
  m.rr = __shfl_sync(whole_warp, mine, 5);
  return solution_in_warp(m, base, plane_math::least_variance);
}

}  // namespace datum::cuda
