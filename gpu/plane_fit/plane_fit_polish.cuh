// Which sampled plane has the consensus: the best hypotheses are refined on the drawn points; one block per plane.
#pragma once

#include <new>

#include "gpu/plane_fit/plane_fit_search.cuh"

namespace datum::cuda {

/// Shared memory of a refinement: the warps' sums, a Refiner, and what it wants next.
struct Refining {
  long long partial[block_warps][10];
  Refiner refiner;
  Refiner::Next next;
  PlaneFit fit;
};

/// central() of few enough points that all products are exact in double: n^2 * 2^26 < 2^53.
constexpr double few_points = 11585;
__device__ inline double central_of_few(double n, double uv, double u, double v) {
  return fma(-u, v, n * uv);
}

/// solution_of() by one warp: three lanes divide.
__device__ inline plane_math::Solution solution_in_warp(const plane_math::Central& m, const Base& base,
                                                        double least) {
  if (!m.span(least)) return plane_math::Solution{};
  const int lane = threadIdx.x % 32;
  const double inverse = 1 / (lane == 0 ? m.det() : lane == 1 ? m.n : double(base.scale_r));
  const plane_math::Inverse per{__shfl_sync(whole_warp, inverse, 0), __shfl_sync(whole_warp, inverse, 1),
                                __shfl_sync(whole_warp, inverse, 2)};
  return plane_math::solution_of(m, per, base);
}

/// solve() by one warp, lane k < 10 holding the k-th of the moments: what does not depend on each other is done side by
/// side. All lanes get the solution.
__device__ inline plane_math::Solution solve_in_warp(long long moment, const Base& base) {
  const int lane = threadIdx.x % 32;
  // Lanes 0 to 5: xx, xy, yy, xr, yr, rr less the products of the sums of their factors.
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

/// take() by one warp; lane k < 10 holds the k-th of the sums. Lane 0 knows what follows.
__device__ inline Refiner::Next take_in_warp(Refiner& refiner, long long sum, int limit) {
  const int lane = threadIdx.x % 32;
  bool still = true, swings = true;
  if (lane < 10) {
    // Moments are ten numbers in the order of the sums.
    still = reinterpret_cast<const long long*>(&refiner.sums_before(0))[lane] == sum;
    swings = reinterpret_cast<const long long*>(&refiner.sums_before(1))[lane] == sum;
  }
  still = __all_sync(whole_warp, still);
  swings = __all_sync(whole_warp, swings);
  plane_math::Solution solution;
  Hypothesis change{};
  if (!still && !swings) {
    if (lane < 10) reinterpret_cast<long long*>(&refiner.oldest())[lane] = sum;
    solution = solve_in_warp(sum, refiner.base());
    change = refiner.changed_by(solution);  // every lane, so that nothing waits for the first one's branch
  }
  __syncwarp();
  Refiner::Next next = Refiner::Next::done;
  if (lane == 0) next = still || swings ? refiner.settle(still) : refiner.accept(solution, change, limit);
  return next;
}

/// All threads: the warps' sums are added and taken by the first warp, with the one refiner of the block.
__device__ inline Refiner::Next take_sums(Refining& r, Refiner& refiner, long long sum, long long core,
                                          int limit) {
  const int lane = threadIdx.x % 32;
  if (lane < 10) r.partial[threadIdx.x / 32][lane] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = core;
    if (lane < 10) {
#pragma unroll
      for (int w = 0; w < block_warps; ++w) sum += r.partial[w][lane];
    }
    const Refiner::Next next = take_in_warp(refiner, sum, limit);
    if (lane == 0) r.next = next;
  }
  __syncthreads();
  return r.next;
}

/// report() by one warp, a lane for each quotient.
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

/// Polisher::take() by one warp, lane k < 10 holding the k-th of the sums. All lanes know whether it goes on: not where it
/// is bound to end at one of the ends so far, which s.lost tells.
__device__ inline bool take_in_warp(Search& s, Polisher& polisher, const FitRegion& region, int sum) {
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
  const plane_math::Solution solution = solution_in_warp(m, polisher.base(), Polisher::least);
  __syncwarp();  // all have read the base plane
  bool more = false;
  const int lane = threadIdx.x % 32;
  if (lane == 0) more = polisher.accept(n, solution);
  __syncwarp();
  const bool lost =
      __any_sync(whole_warp, lane < s.ended && same_basin(polisher.result().plane, s.ends[lane], region));
  if (lane == 0) s.lost = lost;
  return __shfl_sync(whole_warp, static_cast<int>(more), 0) && !lost;
}

__device__ inline Polisher& polisher_of(Search& s) { return *reinterpret_cast<Polisher*>(s.polisher); }

/// All threads: least squares on the points drawn, from a start in shared memory; polisher_of(s) knows the end.
__device__ __noinline__ void polish(Search& s, const Plane& start, float threshold, const FitRegion& region) {
  constexpr int each = (max_subset - 1) / block_threads + 1;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, size = static_cast<int>(s.size);
  if (threadIdx.x == 0) new (s.polisher) Polisher(start, threshold, region);
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
    const Base base = polisher_of(s).base();
    Sums sums;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (k * block_threads >= size) break;
      const float r = fmaf(-base.a, x[k], fmaf(-base.b, y[k], z[k] - base.c));
      sums.add(fabsf(r) < base.core, x[k], y[k], r, base);
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
      const bool more = take_in_warp(s, polisher_of(s), region, sum);
      if (lane == 0) s.more = more;
    }
    __syncthreads();
  } while (s.more);
}

/// First thread: where a polished plane ended.
__device__ inline void keep_end(Search& s, const Polished& end) {
  if (!end.spans) return;
  s.ends[s.ended++] = end;
  const double gain = gain_of(end);
  if (gain > s.gain) {
    s.gain = gain;
    s.plane = end.plane;
  }
}

/// Those of the candidates `left` that do not end where another one ended. All warps find the same.
__device__ inline unsigned still_apart(const Search& s, unsigned left, const FitRegion& region) {
  const int lane = threadIdx.x % 32;
  bool apart = left >> lane & 1;
  for (int e = 0; apart && e < s.ended; ++e) apart = !same_basin(s.starts[lane], s.ends[e], region);
  return __ballot_sync(whole_warp, apart);
}

/// The best hypotheses polished in their order; the one with the largest gain is the start of the fit. A candidate that
/// is bound to end where an earlier one ended is left out.
__device__ __noinline__ void polish_best(const PlaneTask& task, const FitRegion& region, Search& s) {
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    s.ended = 0;
    s.gain = -1;
  }
  if (static_cast<int>(threadIdx.x) < s.best_count) {
    const Hypothesis h = plane_math::hypothesis_of(s.best[threadIdx.x], task.seed, PoolOf{&s}, s.pool_size,
                                                   task.threshold, region);
    s.starts[threadIdx.x] = Plane{h.a, h.b, h.c};
  }
  __syncthreads();
  const std::uint64_t most = s.counts[s.best[0]];
  const bool counts = lane < s.best_count && std::uint64_t{4} * s.counts[s.best[lane]] >= 3 * most;
  unsigned left = __ballot_sync(whole_warp, counts);  // every warp finds the same
  while (left != 0) {
    polish(s, s.starts[__ffs(left) - 1], task.threshold, region);
    if (threadIdx.x == 0 && !s.lost) keep_end(s, polisher_of(s).result());
    __syncthreads();
    left = still_apart(s, left & (left - 1), region);
    __syncthreads();
  }
}

/// Hypotheses are counted on the subset until the rule ends: s.tried. `of_more`: than the subset's points have a height.
__device__ inline void run_rule_on_subset(const Batch& batch, const PlaneTask& task, const FitRegion& region,
                                          bool of_more, Search& s) {
  const std::uint32_t points = s.size;
  const std::int64_t margin = plane_math::count_margin(points, of_more);
  if (threadIdx.x == 0) {
    s.tried = 0;
    s.needed = batch.max_hypotheses;
    s.top = -1;
  }
  __syncthreads();
  int batch_size = 32;  // one hypothesis in four warps' turns; later batches are as large as there is room
  for (;;) {
    const int left = s.needed - s.tried, tried = s.tried;
    if (left <= 0) break;
    const int count = left < batch_size ? left : batch_size;
    lay(task, region, PoolOf{&s}, s.pool_size, tried, count, s.hypotheses);
    __syncthreads();
    count_subset(s, tried, count);
    __syncthreads();
    if (threadIdx.x < 32) {
      int now_tried = s.tried, needed = s.needed, top = s.top;
      replay(s.counts, count, points, margin, batch.needed, &now_tried, &needed, &top);
      __syncwarp();
      if (threadIdx.x == 0) {
        s.tried = now_tried;
        s.needed = needed;
        s.top = top;
      }
    }
    __syncthreads();
    batch_size = max_counted;
  }
}

/// Screened mode: s.found, s.plane, s.tried.
__device__ __noinline__ void search_subset(const Batch& batch, const PlaneTask& task, const FitRegion& region,
                                           bool of_more, Search& s) {
  if (threadIdx.x == 0) {
    s.tried = 0;
    s.found = false;
  }
  __syncthreads();
  if (s.pool_size < 3) return;
  run_rule_on_subset(batch, task, region, of_more, s);
  if (threadIdx.x < 32) {
    const int found = find_best(s.counts, s.tried, s.best);
    if (threadIdx.x == 0) s.best_count = found;
  }
  __syncthreads();
  if (s.best_count == 0) return;
  polish_best(task, region, s);
  if (threadIdx.x == 0) s.found = s.gain >= 0;
  __syncthreads();
}

}  // namespace datum::cuda
