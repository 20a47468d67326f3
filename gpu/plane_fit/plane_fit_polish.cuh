// Which sampled plane has the consensus: the best hypotheses are refined on the drawn points; one block per plane.
#pragma once

#include <new>

#include "gpu/plane_fit/plane_fit_search.cuh"

namespace datum::cuda {

/// Shared memory of a refinement: the warps' sums, of every second step, a Refiner, and what it wants next.
struct Refining {
  long long partial[2][block_warps][10];
  Refiner refiner;
  Refiner::Next next;
  PlaneFit fit;
};

/// central() of few enough points that all products are exact in double: n^2 * 2^26 < 2^53.
constexpr double few_points = 11585;
__device__ inline double central_of_few(double n, double uv, double u, double v) {
  return fma(-u, v, n * uv);
}

/// solve() by one warp, lane k < 10 holding the k-th of the moments: what does not depend on each other is done side by
/// side. All lanes get the solution.
__device__ inline plane_math::Solution solve_in_warp(long long moment, const Base& base) {
  const int lane = threadIdx.x % 32;
  // Lanes 0 to 5: xx, xy, yy, xr, yr, rr less the products of the sums of their factors.
  const int u = lane == 2 || lane == 4 ? 2 : lane == 5 ? 3 : 1, v = lane == 0 ? 1 : lane < 3 ? 2 : 3;
  const double sum = static_cast<double>(moment);
  const double n = __shfl_sync(whole_warp, sum, 0), x = __shfl_sync(whole_warp, sum, 1),
               y = __shfl_sync(whole_warp, sum, 2), r = __shfl_sync(whole_warp, sum, 3);
  const double mine =
      n <= few_points ? central_of_few(n, __shfl_sync(whole_warp, sum, 4 + lane % 6),
                                       __shfl_sync(whole_warp, sum, u), __shfl_sync(whole_warp, sum, v))
                      : plane_math::central(
                            __shfl_sync(whole_warp, moment, 0), __shfl_sync(whole_warp, moment, 4 + lane % 6),
                            __shfl_sync(whole_warp, moment, u), __shfl_sync(whole_warp, moment, v));
  const double xx = __shfl_sync(whole_warp, mine, 0), xy = __shfl_sync(whole_warp, mine, 1),
               yy = __shfl_sync(whole_warp, mine, 2), xr = __shfl_sync(whole_warp, mine, 3),
               yr = __shfl_sync(whole_warp, mine, 4), rr = __shfl_sync(whole_warp, mine, 5);
  const double det = xx * yy - xy * xy, least = 256 * n * n;
  const double inverse = 1 / (lane == 0 ? det : lane == 1 ? n : double(base.scale_r));
  plane_math::Solution s;
  s.spans = n >= 3 && xx >= least && yy >= least && det > 1e-6 * (xx * yy);
  if (!s.spans) return s;
  const double per_det = __shfl_sync(whole_warp, inverse, 0), per_n = __shfl_sync(whole_warp, inverse, 1),
               per_r = __shfl_sync(whole_warp, inverse, 2);
  const double a = (xr * yy - yr * xy) * per_det, b = (yr * xx - xr * xy) * per_det;
  const double c = (r - (a * x + b * y)) * per_n;
  s.change = Plane{a * base.scale_x * per_r, b * base.scale_y * per_r, c * per_r};
  const double squares = (rr - (a * xr + b * yr)) * per_n * (per_r * per_r);
  s.sum_squares = squares > 0 ? squares : 0;
  return s;
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

/// All threads: the warps' sums are added and taken by every warp for itself, with a refiner of its own, so that one
/// barrier serves a step. `turn` counts the steps.
__device__ inline Refiner::Next take_sums(Refining& r, Refiner& of_warp, long long sum, long long core,
                                          unsigned& turn, int limit) {
  const int lane = threadIdx.x % 32;
  long long(*const partial)[10] = r.partial[turn++ % 2];
  if (lane < 10) partial[threadIdx.x / 32][lane] = sum;
  __syncthreads();
  sum = core;
  if (lane < 10) {
#pragma unroll
    for (int w = 0; w < block_warps; ++w) sum += partial[w][lane];
  }
  const int taken = static_cast<int>(take_in_warp(of_warp, sum, limit));
  __syncwarp();
  return static_cast<Refiner::Next>(__shfl_sync(whole_warp, taken, 0));
}

/// All threads: the same by the first warp alone, with the one refiner of the block, which leaves the instructions to
/// blocks that read.
__device__ inline Refiner::Next take_sums_alone(Refining& r, Refiner& refiner, long long sum, long long core,
                                                int limit) {
  const int lane = threadIdx.x % 32;
  if (lane < 10) r.partial[0][threadIdx.x / 32][lane] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = core;
    if (lane < 10) {
#pragma unroll
      for (int w = 0; w < block_warps; ++w) sum += r.partial[0][w][lane];
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

__device__ inline float residual_at(const Search& s, int i, const Base& base) {
  return fmaf(-base.a, s.x[i], fmaf(-base.b, s.y[i], s.z[i] - base.c));
}

/// As the pass over all points and its band list tell it.
__device__ inline bool in_reach(const Search& s, int i, const Base& base, const Hypothesis& change) {
  const float distance = residual_at(s, i, base);
  const float moved = fmaf(-change.a, s.x[i], fmaf(-change.b, s.y[i], distance - change.c));
  return fabsf(distance) < base.core || (fabsf(distance) <= base.outer && fabsf(moved) <= change.reach);
}

__device__ inline Refiner& refiner_of_warp(Search& s) {
  return reinterpret_cast<Refiner*>(s.refiners)[threadIdx.x / 32];
}

/// Refines the plane on the subset: refiner_of_warp().
__device__ __noinline__ void refine_on_subset(Search& s, Refining& r, const Plane& start, float threshold,
                                              const FitRegion& region) {
  const int lane = threadIdx.x % 32, size = static_cast<int>(s.size);
  Refiner& refiner = refiner_of_warp(s);
  if (lane == 0) new (&refiner) Refiner(start, threshold, region);
  unsigned turn = 0;
  for (;;) {
    if (lane == 0) refiner.rebase();
    __syncwarp();
    const Base base = refiner.base();
    Refiner::Next next;
    do {
      const Hypothesis change = refiner.change();
      Sums sums;
#pragma unroll 2
      for (int i = threadIdx.x; i < size; i += block_threads)
        sums.add(in_reach(s, i, base, change), s.x[i], s.y[i], residual_at(s, i, base), base);
      next = take_sums(r, refiner, sum_in_warp(sums), 0, turn, max_refits);
    } while (next == Refiner::Next::again);
    if (next == Refiner::Next::done) return;
  }
}

/// The same by one warp, so that as many planes are refined at a time as a block has warps. `refiner` lies in shared
/// memory and has its start.
__device__ __noinline__ void refine_in_warp(const Search& s, Refiner& refiner) {
  constexpr int at_a_time = 16;
  const int lane = threadIdx.x % 32, size = static_cast<int>(s.size);
  for (;;) {
    if (lane == 0) refiner.rebase();
    __syncwarp();
    const Base base = refiner.base();
    Refiner::Next next;
    do {
      const Hypothesis change = refiner.change();
      WideSums wide;
      for (int first = 0; first < size; first += 32 * at_a_time) {
        Sums sums;
#pragma unroll 4
        for (int i = first + lane; i < first + 32 * at_a_time; i += 32)
          if (i < size) sums.add(in_reach(s, i, base, change), s.x[i], s.y[i], residual_at(s, i, base), base);
        wide.add(sums);
      }
      const int taken = static_cast<int>(take_in_warp(refiner, sum_in_warp(wide), max_refits));
      __syncwarp();
      next = static_cast<Refiner::Next>(__shfl_sync(whole_warp, taken, 0));
    } while (next == Refiner::Next::again);
    if (next == Refiner::Next::done) return;
  }
}

/// First thread: where a polished plane ended.
__device__ inline void keep_end(Search& s, const Refined& end) {
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

/// When so many are left, a warp for each is faster than the block for one after the other.
constexpr int side_by_side = 3;

/// The best hypotheses polished on the subset, in their order; the one with the largest gain is the start of the fit. A
/// candidate that is bound to end where an earlier one ended is left out, also where it has been refined beside it.
__device__ __noinline__ void polish(const PlaneTask& task, const FitRegion& region, Search& s, Refining& r) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
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
  // The first alone mostly makes the others unnecessary.
  for (bool alone = true; left != 0 && (alone || __popc(left) < side_by_side); alone = false) {
    const int c = __ffs(left) - 1;
    refine_on_subset(s, r, s.starts[c], task.threshold, region);
    if (threadIdx.x == 0) keep_end(s, refiner_of_warp(s).result());
    __syncthreads();
    left = still_apart(s, left & (left - 1), region);
  }
  Refiner* const refiners = reinterpret_cast<Refiner*>(s.refiners);
  for (int nth = warp, c = 0; c < plane_math::candidates; ++c) {
    if ((left >> c & 1) == 0 || nth-- % block_warps != 0) continue;
    if (lane == 0) new (refiners + c) Refiner(s.starts[c], task.threshold, region);
    __syncwarp();
    refine_in_warp(s, refiners[c]);
  }
  while (left != 0) {
    const int c = __ffs(left) - 1;
    __syncthreads();  // all have looked at the ends so far
    if (threadIdx.x == 0) keep_end(s, refiners[c].result());
    __syncthreads();
    left = still_apart(s, left & (left - 1), region);
  }
}

/// Hypotheses are counted on the subset until the rule ends: s.tried.
__device__ inline void run_rule_on_subset(const Batch& batch, const PlaneTask& task, const FitRegion& region,
                                          std::uint32_t valid, const double* needed_table, Search& s) {
  const std::uint32_t points = s.size;
  const std::int64_t margin = plane_math::count_margin(points, valid);
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
      replay(s.counts, count, points, margin, needed_table, &now_tried, &needed, &top);
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
                                           std::uint32_t valid, const double* needed_table, Search& s,
                                           Refining& r) {
  if (threadIdx.x == 0) {
    s.tried = 0;
    s.found = false;
  }
  __syncthreads();
  if (s.pool_size < 3) return;
  run_rule_on_subset(batch, task, region, valid, needed_table, s);
  if (threadIdx.x < 32) {
    const int found = find_best(s.counts, s.tried, s.best);
    if (threadIdx.x == 0) s.best_count = found;
  }
  __syncthreads();
  if (s.best_count == 0) return;
  polish(task, region, s, r);
  if (threadIdx.x == 0) s.found = s.gain >= 0;
  __syncthreads();
}

}  // namespace datum::cuda
