// Refinement on the device: least squares on all points of a plane (DESIGN.md, steps 7 to 9). The block that finished
// the accumulate pass repeats the fit from the sums of the always-inliers and from the boundary candidates alone.
#pragma once

#include "gpu/plane_fit/inlier_sums.cuh"
#include "gpu/plane_fit/least_squares.cuh"
#include "gpu/plane_fit/refinement.h"
#include "gpu/plane_fit/shared_memory.cuh"
#include "gpu/plane_fit/warp.cuh"

namespace datum::cuda {

using plane_math::Hypothesis;

/// Refiner::advance() by one warp, lane k < 10 holding the k-th of the sums. Returns the next step to lane 0.
__device__ inline Refiner::Next advance_in_warp(Refiner& refiner, long long sum, int limit) {
  const int lane = threadIdx.x % 32;
  bool unchanged = true, cycles = true;
  if (lane < 10) {
    // Moments holds its ten members in the order of the lanes.
    unchanged = reinterpret_cast<const long long*>(&refiner.sums_before(0))[lane] == sum;
    cycles = reinterpret_cast<const long long*>(&refiner.sums_before(1))[lane] == sum;
  }
  unchanged = __all_sync(whole_warp, unchanged);
  cycles = __all_sync(whole_warp, cycles);
  plane_math::Solution solution;
  Hypothesis change{};
  if (!unchanged && !cycles) {
    if (lane < 10) reinterpret_cast<long long*>(&refiner.oldest())[lane] = sum;
    solution = solve_in_warp(sum, refiner.base());
    change =
        refiner.changed_by(solution);  // in all lanes: a branch of the first lane would make the others wait
  }
  __syncwarp();
  Refiner::Next next = Refiner::Next::done;
  if (lane == 0)
    next = unchanged || cycles ? refiner.settle(unchanged) : refiner.accept(solution, change, limit);
  return next;
}

/// All threads: the first warp adds the sums of the warps to `always`, the sums of the always-inliers, and advances the
/// refiner of the block.
__device__ inline Refiner::Next advance_by_sums(RefinementMemory& r, Refiner& refiner, long long sum,
                                                long long always, int limit) {
  const int lane = threadIdx.x % 32;
  if (lane < 10) r.partial[threadIdx.x / 32][lane] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = always;
    if (lane < 10) {
#pragma unroll
      for (int w = 0; w < block_warps; ++w) sum += r.partial[w][lane];
    }
    const Refiner::Next next = advance_in_warp(refiner, sum, limit);
    if (lane == 0) r.next = next;
  }
  __syncthreads();
  return r.next;
}

/// report() by one warp, one lane for each quotient.
__device__ inline void report_by_warp(const Refined& end, PlaneFit* fit) {
  const int lane = threadIdx.x % 32;
  const plane_math::Moments& m = end.moments;
  const double n = double(m.n), sx = end.base.scale_x, sy = end.base.scale_y;
  const double sum = lane == 0 ? end.sum_squares : double(lane == 1 ? m.x : m.y);
  const double square = plane_math::central(m.n,
                                            lane == 3   ? m.xx
                                            : lane == 4 ? m.xy
                                                        : m.yy,
                                            lane == 5 ? m.y : m.x, lane == 3 ? m.x : m.y);
  const double u = lane == 0 ? 1 : lane == 2 || lane == 5 ? sy : sx, v = lane < 3 ? 1 : lane == 3 ? sx : sy;
  const double quotient = (lane < 3 ? sum : square) / n / (u * v);
  double* const to[6] = {&fit->rms, &fit->mean_x, &fit->mean_y, &fit->sxx, &fit->sxy, &fit->syy};
#pragma unroll
  for (int k = 0; k < 6; ++k)
    if (lane == k) *to[k] = k == 0 ? ::sqrt(quotient) : quotient;
  if (lane != 0) return;
  fit->status = FitStatus::ok;
  fit->fixed_point = end.fixed_point;
  fit->a = end.plane.a;
  fit->b = end.plane.b;
  fit->c = end.plane.c;
  fit->inliers = static_cast<std::uint32_t>(m.n);
}

/// A base plane without always-inliers and boundary candidates: a pass around it only scans.
__device__ inline Base scan_only_base() {
  Base base{};
  base.always_inlier = base.possible_inlier = -1;
  return base;
}

/// The list of the tile that begins with quad `quad` of its plane.
__device__ inline float4* boundary_of(const Batch& b, const PlaneTask& task, std::uint64_t quad) {
  return b.boundary + 4 * (task.first + quad);
}

/// Gathers the lists of the tiles in shared memory, in any order, because only integer sums follow. If boundary.count >
/// BoundaryCandidates::room they do not fit, and stay in device memory.
__device__ inline void gather_boundary(const Batch& b, const PlaneTask& task, BoundaryCandidates& boundary) {
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) boundary.count = 0;
  __syncthreads();
  for (std::uint32_t tile = threadIdx.x / 32; tile < task.tiles; tile += block_warps) {
    const std::uint32_t n = __ldcg(b.boundary_counts + task.first_tile + tile);
    std::uint32_t to = 0;
    if (lane == 0 && n > 0) to = atomicAdd(&boundary.count, n);
    to = __shfl_sync(whole_warp, to, 0);
    const float4* const from = boundary_of(b, task, std::uint64_t{tile} * b.tile_quads);
    for (std::uint32_t i = lane; i < n && to + i < BoundaryCandidates::room; i += 32) {
      const float4 p = __ldcg(from + i);
      boundary.x[to + i] = p.x;
      boundary.y[to + i] = p.y;
      boundary.r[to + i] = p.z;
    }
  }
  __syncthreads();
}

/// A thread's sums over the boundary candidates that are inliers of the base plane plus `change`.
__device__ inline WideSums sum_boundary(const Batch& b, const PlaneTask& task,
                                        const BoundaryCandidates& boundary, const Base& base,
                                        const Hypothesis& change) {
  WideSums wide;
  Sums sums;
  int held = 0;
  const auto add = [&](float x, float y, float r) {
    const float moved = fmaf(-change.a, x, fmaf(-change.b, y, r - change.c));
    sums.add(fabsf(moved) <= change.z_threshold, x, y, r, base);
    if (++held == 16) {
      wide.add(sums);
      sums = Sums{};
      held = 0;
    }
  };
  if (boundary.count <= BoundaryCandidates::room) {
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i < boundary.count; i += block_threads)
      add(boundary.x[i], boundary.y[i], boundary.r[i]);
  } else {
    for (std::uint32_t tile = threadIdx.x / 32; tile < task.tiles; tile += block_warps) {
      const std::uint32_t n = __ldcg(b.boundary_counts + task.first_tile + tile);
#pragma unroll 1
      for (std::uint32_t i = threadIdx.x % 32; i < n; i += 32) {
        const float4 p = __ldcg(boundary_of(b, task, std::uint64_t{tile} * b.tile_quads) + i);
        add(p.x, p.y, p.z);
      }
    }
  }
  wide.add(sums);
  return wide;
}

}  // namespace datum::cuda
