// Which sampled plane has the consensus: one block per plane, after the points were drawn.
#pragma once

#include "gpu/plane_fit/plane_fit_tiles.cuh"

namespace datum::cuda {

using plane_math::Plane;
using plane_math::Point;

/// The drawn points and what is laid through them.
struct Search {
  float x[max_subset], y[max_subset], z[max_subset];  // in any order: only counts and sums follow
  std::uint16_t drawn[max_pool], pool[max_pool];      // numbers of the pool's points: as found, and in order
  alignas(16) std::uint32_t pool_keys[max_pool];      // as found
  double table[max_tried];                            // Batch::needed
  float4 hypotheses[max_counted];
  std::uint32_t counts[max_tried];
  std::uint32_t size, pool_size;
  int tried, needed, top;
  std::uint16_t best[plane_math::candidates];  // hypotheses of the highest counts
  Plane starts[plane_math::candidates];        // and their planes
  int best_count;
  Refined ends[plane_math::candidates];
  int ended;
  double gain;
  Plane plane;
  bool found;
};

/// The points of the pool in their order.
struct PoolOf {
  const Search* s;
  __device__ Point operator[](std::uint32_t i) const {
    const int at = s->pool[i];
    return Point{s->x[at], s->y[at], s->z[at]};
  }
};
/// The same where the search's shared memory holds other things by now: exact mode keeps its pool in device memory.
struct StoredPool {
  const float4* points;
  __device__ Point operator[](std::uint32_t i) const { return Point{points[i].x, points[i].y, points[i].z}; }
};

/// Points of one key: by z, x, y; all of these equal: any order.
__device__ inline int rank_among_equals(const Search& s, int i, int n) {
  const std::uint32_t key = s.pool_keys[i];
  const int mine = s.drawn[i];
  const std::uint32_t z = __float_as_uint(s.z[mine]), x = __float_as_uint(s.x[mine]),
                      y = __float_as_uint(s.y[mine]);
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    if (s.pool_keys[j] != key || j == i) continue;
    const int other = s.drawn[j];
    const std::uint32_t oz = __float_as_uint(s.z[other]), ox = __float_as_uint(s.x[other]),
                        oy = __float_as_uint(s.y[other]);
    rank += oz != z ? oz < z : ox != x ? ox < x : oy != y ? oy < y : j < i;
  }
  return rank;
}

/// Filters the plane's draws by the limits that its number of heights demands, and orders the pool by key, then z, x,
/// y. False: more points than there is room for, so they lie at one place.
__device__ __noinline__ bool gather_draws(const Batch& batch, const float4* draws, std::uint32_t drawn,
                                          std::uint32_t valid, Search& s) {
  if (threadIdx.x == 0) s.size = s.pool_size = 0;
  for (int k = threadIdx.x; k < batch.max_hypotheses; k += block_threads)
    s.table[k] = __ldg(batch.needed + k);
  __syncthreads();
  const std::uint32_t limit = plane_math::key_limit(valid, plane_math::subset_target),
                      pool_limit = plane_math::key_limit(valid, plane_math::pool_target);
  for (std::uint32_t i = threadIdx.x; i < drawn; i += block_threads) {
    const float4 d = __ldcg(draws + i);
    const std::uint32_t key = __float_as_uint(d.w);
    if (key > limit) continue;
    const std::uint32_t at = atomicAdd(&s.size, 1u);
    if (at >= max_subset) continue;
    s.x[at] = d.x;
    s.y[at] = d.y;
    s.z[at] = d.z;
    if (key > pool_limit) continue;
    const std::uint32_t member = atomicAdd(&s.pool_size, 1u);
    if (member >= max_pool) continue;
    s.drawn[member] = static_cast<std::uint16_t>(at);
    s.pool_keys[member] = key;
  }
  __syncthreads();
  if (s.size > max_subset || s.pool_size > max_pool) return false;
  const int n = s.pool_size;
  for (int i = n + threadIdx.x; i < (n + 3) / 4 * 4; i += block_threads) s.pool_keys[i] = 0xFFFFFFFFu;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += block_threads) {
    const std::uint32_t key = s.pool_keys[i];
    int rank = 0, equal = 0;
    for (int j = 0; j < n; j += 4) {
      const uint4 four = *reinterpret_cast<const uint4*>(s.pool_keys + j);
      rank += (four.x < key) + (four.y < key) + (four.z < key) + (four.w < key);
      equal += (four.x == key) + (four.y == key) + (four.z == key) + (four.w == key);
    }
    if (equal > 1) rank += rank_among_equals(s, i, n);
    s.pool[rank] = s.drawn[i];
  }
  __syncthreads();
  return true;
}

/// Lays `count` hypotheses from number `first` on, as (-a, -b, c, reach); filled up to whole fours.
template <class Pool>
__device__ void lay(const PlaneTask& task, const FitRegion& region, const Pool& pool, std::uint32_t pool_size,
                    int first, int count, float4* hypotheses) {
  const int rounded = (count + 3) / 4 * 4;
  for (int k = threadIdx.x; k < rounded; k += block_threads) {
    float4 h = make_float4(0, 0, 0, -1);
    if (k < count) {
      const Hypothesis laid = plane_math::hypothesis_of(static_cast<std::uint32_t>(first + k), task.seed,
                                                        pool, pool_size, task.threshold, region);
      h = make_float4(-laid.a, -laid.b, laid.c, laid.reach);
    }
    hypotheses[k] = h;
  }
}

/// Counts the subset's inliers of the hypotheses laid; each warp takes four at a time.
__device__ inline void count_subset(Search& s, int first, int count) {
  const int lane = threadIdx.x % 32, size = static_cast<int>(s.size);
  for (int k = threadIdx.x / 32 * 4; k < count; k += block_warps * 4) {
    float4 h[4];
    float hits[4] = {};
#pragma unroll
    for (int u = 0; u < 4; ++u) h[u] = s.hypotheses[k + u];
#pragma unroll 4
    for (int i = lane; i < size; i += 32) {
      const float x = s.x[i], y = s.y[i], z = s.z[i];
#pragma unroll
      for (int u = 0; u < 4; ++u)
        hits[u] = __fadd_rn(hits[u], is_within(fmaf(h[u].x, x, fmaf(h[u].y, y, z - h[u].z)), h[u].w));
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const unsigned sum = __reduce_add_sync(whole_warp, static_cast<unsigned>(hits[u]));
      if (lane == 0 && k + u < count) s.counts[first + k + u] = sum;
    }
  }
}

/// hypotheses_needed() by table: the first k with miss_one <= needed[k - 1].
__device__ inline int needed_for(std::int64_t inliers, std::uint32_t points, const double* needed,
                                 int limit) {
  const double w = inliers > 0 ? double(inliers) / points : 0;
  const double miss_one = 1 - w * w * w;
  int low = 1, high = limit;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (miss_one <= needed[middle - 1]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// One warp replays the paper's loop over counts[tried ... tried + count), whatever batch they came in: a hypothesis is
/// tried while its number is below what the best before it demands.
__device__ inline void replay(const std::uint32_t* counts, int count, std::uint32_t points,
                              std::int64_t margin, const double* table, int* tried, int* needed, int* top) {
  const int lane = threadIdx.x % 32;
  for (int begin = 0; begin < count; begin += 32) {
    const int number = *tried + lane;
    const bool there = begin + lane < count;
    int best = there ? static_cast<int>(counts[number]) : -1;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(whole_warp, best, step);
      if (lane >= step && other > best) best = other;
    }
    best = best > *top ? best : *top;  // up to and with this hypothesis
    const int demanded = needed_for(best - margin, points, table, *needed);
    int before = __shfl_up_sync(whole_warp, demanded, 1);
    if (lane == 0) before = *needed;
    const unsigned taken = __ballot_sync(whole_warp, there && number < before);
    const int n = __popc(taken);  // they are the first n: demands fall while numbers rise
    if (n > 0) {
      *needed = __shfl_sync(whole_warp, demanded, n - 1);
      *top = __shfl_sync(whole_warp, best, n - 1);
      *tried += n;
    }
    if (n < 32) return;
  }
}

/// One warp: the up to `candidates` hypotheses of the highest counts from 3 on, lower numbers first where equal.
/// Counts are below max_points.
__device__ inline int find_best(const std::uint32_t* counts, int tried, std::uint16_t* best) {
  const int lane = threadIdx.x % 32;
  std::uint32_t below = 0xFFFFFFFFu;
  int found = 0;
  while (found < plane_math::candidates) {
    std::uint32_t most = 0;
    for (int i = lane; i < tried; i += 32) {
      const std::uint32_t rank = counts[i] << 10 | static_cast<std::uint32_t>(max_tried - 1 - i);
      if (rank < below && rank > most) most = rank;
    }
    most = __reduce_max_sync(whole_warp, most);
    if ((most >> 10) < 3) break;
    if (lane == 0) best[found] = static_cast<std::uint16_t>(max_tried - 1 - (most & (max_tried - 1)));
    below = most;
    ++found;
  }
  __syncwarp();
  return found;
}

/// Shared memory of a refinement: partial sums and the one Refiner of the block, driven by its first thread.
struct Refining {
  long long partial[block_warps][10];
  long long core[10];
  Refiner refiner;
  Refiner::Next next;
  PlaneFit fit;
};

/// The block's first warp sums the warps' partial sums; its first thread takes them. All threads call it.
__device__ __noinline__ Refiner::Next take_sums(Refining& r, bool with_core, int limit) {
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x < 10) {
      long long sum = with_core ? r.core[threadIdx.x] : 0;
#pragma unroll
      for (int w = 0; w < block_warps; ++w) sum += r.partial[w][threadIdx.x];
      r.partial[0][threadIdx.x] = sum;
    }
    __syncwarp();
    if (threadIdx.x == 0) {
      const long long* v = r.partial[0];
      r.next = r.refiner.take(plane_math::Moments{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]},
                              limit);
    }
  }
  __syncthreads();
  return r.next;
}

/// Refines the plane on the subset.
__device__ __noinline__ void refine_on_subset(const Search& s, Refining& r, const Plane& start,
                                              float threshold, const FitRegion& region) {
  if (threadIdx.x == 0) r.refiner = Refiner(start, threshold, region);
  for (;;) {
    if (threadIdx.x == 0) r.refiner.rebase();
    __syncthreads();
    const Base base = r.refiner.base();
    Refiner::Next next;
    do {
      const Hypothesis change = r.refiner.change();
      Sums sums;
      for (int i = threadIdx.x; i < static_cast<int>(s.size); i += block_threads) {
        const float x = s.x[i], y = s.y[i];
        const float distance = fmaf(-base.a, x, fmaf(-base.b, y, s.z[i] - base.c));
        const float moved = fmaf(-change.a, x, fmaf(-change.b, y, distance - change.c));
        const bool in =
            fabsf(distance) < base.core || (fabsf(distance) <= base.outer && fabsf(moved) <= change.reach);
        sums.add(in, x, y, distance, base);
      }
      WideSums wide;
      wide.add(sums);
      reduce_in_warps(wide, r.partial);
      next = take_sums(r, false, max_refits);
    } while (next == Refiner::Next::again);
    if (next == Refiner::Next::done) return;
  }
}

/// The best hypotheses polished on the subset; the one with the largest gain is the start of the fit.
__device__ __noinline__ void polish(const PlaneTask& task, const FitRegion& region, Search& s, Refining& r) {
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
  const std::uint32_t most = s.counts[s.best[0]];
  const int lane = threadIdx.x % 32;
  for (int c = 0; c < s.best_count; ++c) {
    if (std::uint64_t{4} * s.counts[s.best[c]] < std::uint64_t{3} * most) break;
    const Plane start = s.starts[c];
    const bool same = lane < s.ended && same_basin(start, s.ends[lane], region);
    if (__any_sync(whole_warp, same)) continue;
    refine_on_subset(s, r, start, task.threshold, region);
    if (threadIdx.x == 0) {
      const Refined& end = r.refiner.result();
      if (end.spans) {
        s.ends[s.ended++] = end;
        const double gain = gain_of(end);
        if (gain > s.gain) {
          s.gain = gain;
          s.plane = end.plane;
        }
      }
    }
    __syncthreads();
  }
}

/// Screened mode: hypotheses are counted on the subset until the rule ends. s.found, s.plane, s.tried.
__device__ __noinline__ void search_subset(const Batch& batch, const PlaneTask& task, const FitRegion& region,
                                           std::uint32_t valid, Search& s, Refining& r) {
  const std::uint32_t points = s.size;
  const std::int64_t margin = plane_math::count_margin(points, valid);
  if (threadIdx.x == 0) {
    s.tried = 0;
    s.needed = batch.max_hypotheses;
    s.top = -1;
    s.found = false;
  }
  __syncthreads();
  if (s.pool_size < 3) return;
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
      replay(s.counts, count, points, margin, s.table, &now_tried, &needed, &top);
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
