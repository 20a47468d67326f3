// Local optimisation on the device: one block optimises the best hypotheses of its plane on the subset, one after the
// other, and keeps the plane of the best MSAC score (DESIGN.md, step 5).
#pragma once

#include <new>

#include "gpu/plane_fit/hypotheses.cuh"
#include "gpu/plane_fit/inlier_sums.cuh"
#include "gpu/plane_fit/least_squares.cuh"
#include "gpu/plane_fit/local_optimization.h"
#include "gpu/plane_fit/shared_memory.cuh"

namespace datum::cuda {

using plane_math::Plane;

/// LocalOptimizer::advance() by one warp, lane k < 10 holding the k-th of the sums. Returns to all lanes whether
/// another step follows. s.duplicate: the plane came near an earlier optimum, where it would end too.
__device__ inline bool advance_in_warp(SearchMemory& s, LocalOptimizer& optimizer, const FitRegion& region,
                                       int sum) {
  const int n = __shfl_sync(whole_warp, sum, 0);
  plane_math::Central m;
  m.n = n;
  m.x = __shfl_sync(whole_warp, sum, 1);
  m.y = __shfl_sync(whole_warp, sum, 2);
  m.r = __shfl_sync(whole_warp, sum, 3);
  m.xx = central_of_few(m.n, __shfl_sync(whole_warp, sum, 4), m.x, m.x);
  m.xy = central_of_few(m.n, __shfl_sync(whole_warp, sum, 5), m.x, m.y);
  m.yy = central_of_few(m.n, __shfl_sync(whole_warp, sum, 6), m.y, m.y);
  m.xr = central_of_few(m.n, __shfl_sync(whole_warp, sum, 7), m.x, m.r);
  m.yr = central_of_few(m.n, __shfl_sync(whole_warp, sum, 8), m.y, m.r);
  m.rr = central_of_few(m.n, __shfl_sync(whole_warp, sum, 9), m.r, m.r);
  const plane_math::Solution solution = solution_in_warp(m, optimizer.base(), LocalOptimizer::least);
  __syncwarp();  // all lanes have read the base plane, which accept() changes
  bool more = false;
  const int lane = threadIdx.x % 32;
  if (lane == 0) more = optimizer.accept(n, solution);
  __syncwarp();
  const bool duplicate = __any_sync(
      whole_warp, lane < s.optimum_count && is_duplicate(optimizer.result().plane, s.optima[lane], region));
  if (lane == 0) s.duplicate = duplicate;
  return __shfl_sync(whole_warp, static_cast<int>(more), 0) && !duplicate;
}

__device__ inline LocalOptimizer& optimizer_of(SearchMemory& s) {
  return *reinterpret_cast<LocalOptimizer*>(s.optimizer);
}

/// All threads optimise `start`, which lies in shared memory, on the subset; optimizer_of(s) holds the result.
inline __device__ __noinline__ void optimize_locally(SearchMemory& s, const Plane& start, float threshold,
                                                     const FitRegion& region) {
  constexpr int each = (max_subset - 1) / block_threads + 1;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, size = static_cast<int>(s.size);
  if (threadIdx.x == 0) new (s.optimizer) LocalOptimizer(start, threshold, region);
  float x[each], y[each], z[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = threadIdx.x + k * block_threads;
    x[k] = i < size ? s.x[i] : 0.f;
    y[k] = i < size ? s.y[i] : 0.f;
    z[k] = i < size ? s.z[i] : __int_as_float(0x7FC00000);
  }
  __syncthreads();
  do {
    const Base base = optimizer_of(s).base();
    Sums sums;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (k * block_threads >= size) break;
      const float r = fmaf(-base.a, x[k], fmaf(-base.b, y[k], z[k] - base.c));
      sums.add(fabsf(r) < base.always_inlier, x[k], y[k], r, base);
    }
    const int all[10] = {sums.n,  sums.x,  sums.y,  sums.r,  sums.xx,
                         sums.xy, sums.yy, sums.xr, sums.yr, sums.rr};
    int mine = 0;
#pragma unroll
    for (int k = 0; k < 10; ++k) {
      const int sum = __reduce_add_sync(whole_warp, all[k]);
      if (lane == k) mine = sum;
    }
    if (lane < 10) s.sums[warp][lane] = mine;
    __syncthreads();
    if (warp == 0) {
      int sum = 0;
      if (lane < 10) {
#pragma unroll
        for (int w = 0; w < block_warps; ++w) sum += s.sums[w][lane];
      }
      const bool more = advance_in_warp(s, optimizer_of(s), region, sum);
      if (lane == 0) s.more = more;
    }
    __syncthreads();
  } while (s.more);
}

/// The first thread keeps an optimum, and its plane if its score is the best.
__device__ inline void keep_optimum(SearchMemory& s, const LocalOptimum& end) {
  if (!end.spans) return;
  s.optima[s.optimum_count++] = end;
  const double score = msac_score(end);
  if (score > s.score) {
    s.score = score;
    s.plane = end.plane;
  }
}

/// The candidates `left` that are no duplicates of an optimum, as a mask. All warps compute the same.
__device__ inline unsigned without_duplicates(const SearchMemory& s, unsigned left, const FitRegion& region) {
  const int lane = threadIdx.x % 32;
  bool apart = left >> lane & 1;
  for (int e = 0; apart && e < s.optimum_count; ++e)
    apart = !is_duplicate(s.starts[lane], s.optima[e], region);
  return __ballot_sync(whole_warp, apart);
}

/// All threads optimise the best hypotheses in the order of their counts, down to 3/4 of the highest, without
/// duplicates of earlier optima. s.plane: the optimum of the best score, where the refinement starts.
inline __device__ __noinline__ void optimize_best(const PlaneTask& task, const FitRegion& region,
                                                  SearchMemory& s) {
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    s.optimum_count = 0;
    s.score = -1;
  }
  if (static_cast<int>(threadIdx.x) < s.best_count) {
    const Hypothesis h = plane_math::hypothesis_of(s.best[threadIdx.x], task.seed, SharedPool{&s},
                                                   s.pool_size, task.threshold, region);
    s.starts[threadIdx.x] = Plane{h.a, h.b, h.c};
  }
  __syncthreads();
  const std::uint64_t most = s.counts[s.best[0]];
  const bool counts = lane < s.best_count && std::uint64_t{4} * s.counts[s.best[lane]] >= 3 * most;
  unsigned left = __ballot_sync(whole_warp, counts);  // the same in every warp
  while (left != 0) {
    optimize_locally(s, s.starts[__ffs(left) - 1], task.threshold, region);
    if (threadIdx.x == 0 && !s.duplicate) keep_optimum(s, optimizer_of(s).result());
    __syncthreads();
    left = without_duplicates(s, left & (left - 1), region);
    __syncthreads();
  }
}

/// All threads search the consensus of the subset: s.found, s.plane, s.tried.
inline __device__ __noinline__ void search_subset(const Batch& batch, const PlaneTask& task,
                                                  const FitRegion& region, bool of_more, SearchMemory& s) {
  if (threadIdx.x == 0) {
    s.tried = 0;
    s.found = false;
  }
  __syncthreads();
  if (s.pool_size < 3) return;
  test_on_subset(batch, task, region, of_more, s);
  if (threadIdx.x < 32) {
    const int found = find_best(s.counts, s.tried, s.best);
    if (threadIdx.x == 0) s.best_count = found;
  }
  __syncthreads();
  if (s.best_count == 0) return;
  optimize_best(task, region, s);
  if (threadIdx.x == 0) s.found = s.score >= 0;
  __syncthreads();
}

}  // namespace datum::cuda
