// Hypotheses of one plane: laid through drawn points, counted, and replayed in the paper's order; one block per plane.
#pragma once

#include "gpu/plane_fit/plane_fit_tiles.cuh"

namespace datum::cuda {

using plane_math::Plane;
using plane_math::Point;

/// The drawn points and what is laid through them.
struct Search {
  float x[max_subset], y[max_subset],
      z[max_subset];                              // drawn by place in any order: only counts and sums follow
  std::uint16_t drawn[max_pool], pool[max_pool];  // numbers of the pool's points: as found, and in order
  float4 hypotheses[max_counted];
  std::uint32_t counts[max_tried];
  std::uint32_t size, pool_size, filled, keys[max_pool];  // keys of drawn
  bool by_number;                                         // the pool is the subset as it lies
  std::uint16_t order[max_pool];
  int tried, needed, top;
  std::uint16_t best[plane_math::candidates];  // hypotheses of the highest counts
  Plane starts[plane_math::candidates];        // and their planes
  int best_count;
  Polished ends[plane_math::candidates];
  int ended;
  double gain;
  Plane plane;
  bool found, more, lost;
  alignas(16) unsigned char polisher[sizeof(Polisher)];
  int sums[block_warps][10];
};

/// A warp: the sum over its lanes up to and with this one.
__device__ __forceinline__ std::uint32_t sum_up_to_here(std::uint32_t sum, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(whole_warp, sum, step);
    if (lane >= step) sum += other;
  }
  return sum;
}

/// The points of the pool in their order.
struct PoolOf {
  const Search* s;
  __device__ Point operator[](std::uint32_t i) const {
    const int at = s->by_number ? static_cast<int>(i) : s->pool[i];
    return Point{s->x[at], s->y[at], s->z[at]};
  }
};
/// The same where the search's shared memory holds other things by now: exact mode keeps its pool in device memory.
struct StoredPool {
  const float4* points;
  __device__ Point operator[](std::uint32_t i) const { return Point{points[i].x, points[i].y, points[i].z}; }
};

/// Order of points of equal keys in the pool: by z, x, y.
__device__ inline bool before_in_pool(const Search& s, int p, int q) {
  const std::uint32_t pz = __float_as_uint(s.z[p]), qz = __float_as_uint(s.z[q]);
  if (pz != qz) return pz < qz;
  const std::uint32_t px = __float_as_uint(s.x[p]), qx = __float_as_uint(s.x[q]);
  if (px != qx) return px < qx;
  return __float_as_uint(s.y[p]) < __float_as_uint(s.y[q]);
}

/// Orders the pool: keys are uniform up to the limit, so 256 buckets leave next to nothing to be sorted.
__device__ inline void order_pool(Search& s, std::uint32_t pool_limit) {
  constexpr int buckets = block_threads;
  std::uint32_t* const filled = s.counts;           // of each bucket; nothing is counted yet
  std::uint32_t* const begin = s.counts + buckets;  // of each bucket
  std::uint32_t* const totals = s.counts + 2 * buckets;
  const float per_key =
      static_cast<float>(buckets) / static_cast<float>(pool_limit);  // any rising map of keys will do
  const int n = s.pool_size, b = threadIdx.x, lane = b % 32;
  int bucket[max_pool / block_threads], rank[max_pool / block_threads];
#pragma unroll
  for (int k = 0; k < max_pool / block_threads; ++k) {
    const int i = b + k * block_threads;
    if (i >= n) break;
    const int wanted = static_cast<int>(static_cast<float>(s.keys[i]) * per_key);
    bucket[k] = wanted < buckets ? wanted : buckets - 1;
    rank[k] = static_cast<int>(atomicAdd(&filled[bucket[k]], 1u));
  }
  __syncthreads();
  const std::uint32_t own = filled[b];
  const std::uint32_t sum = sum_up_to_here(own, lane);
  if (lane == 31) totals[b / 32] = sum;
  __syncthreads();
  std::uint32_t before = lane < b / 32 ? totals[lane] : 0;
  before = __reduce_add_sync(whole_warp, before);
  begin[b] = before + sum - own;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < max_pool / block_threads; ++k) {
    const int i = b + k * block_threads;
    if (i < n) s.order[begin[bucket[k]] + rank[k]] = static_cast<std::uint16_t>(i);
  }
  __syncthreads();
  std::uint16_t* const mine = s.order + begin[b];
#pragma unroll 1
  for (int i = 1; i < static_cast<int>(own); ++i) {
    const std::uint16_t moving = mine[i];
    const std::uint32_t key = s.keys[moving];
    int at = i;
#pragma unroll 1
    for (; at > 0; --at) {
      const std::uint32_t other = s.keys[mine[at - 1]];
      if (key > other || (key == other && !before_in_pool(s, s.drawn[moving], s.drawn[mine[at - 1]]))) break;
      mine[at] = mine[at - 1];
    }
    mine[at] = moving;
  }
#pragma unroll 1
  for (int i = 0; i < static_cast<int>(own); ++i) s.pool[begin[b] + i] = s.drawn[mine[i]];
  __syncthreads();
}

/// Filters the plane's draws by the limits of their keys, and orders the pool. False: more points than there is room
/// for, so they lie at one place.
__device__ __noinline__ bool gather_draws(const float4* draws, std::uint32_t drawn, std::uint32_t limit,
                                          std::uint32_t pool_limit, Search& s) {
  constexpr int each = draw_capacity / block_threads;  // there are at most so many
  const unsigned lane = threadIdx.x % 32;
  float4 d[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const std::uint32_t i = threadIdx.x + k * block_threads;
    d[k] = i < drawn ? __ldcg(draws + i) : make_float4(0, 0, 0, 0);
  }
  if (threadIdx.x == 0) s.filled = 0;
  s.counts[threadIdx.x] = 0;
  __syncthreads();
  // Points in the lower half of a number, those of the pool in the upper one.
  unsigned own = 0;
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (threadIdx.x + k * block_threads < drawn)
      own += (__float_as_uint(d[k].w) <= limit) + ((__float_as_uint(d[k].w) <= pool_limit) << 16);
  const unsigned up_to_here = sum_up_to_here(own, lane);
  unsigned place = 0;
  if (lane == 31) place = atomicAdd(&s.filled, up_to_here);
  place = __shfl_sync(whole_warp, place, 31) + up_to_here - own;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const std::uint32_t key = __float_as_uint(d[k].w), at = place & 0xFFFFu, member = place >> 16;
    if (!(threadIdx.x + k * block_threads < drawn && key <= limit)) continue;
    const bool in_pool = key <= pool_limit;
    place += 1 + (in_pool << 16);
    if (at >= max_subset) continue;
    s.x[at] = d[k].x;
    s.y[at] = d[k].y;
    s.z[at] = d[k].z;
    if (in_pool && member < max_pool) {
      s.drawn[member] = static_cast<std::uint16_t>(at);
      s.keys[member] = key;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    s.size = s.filled & 0xFFFFu;
    s.pool_size = s.filled >> 16;
    s.by_number = false;
  }
  __syncthreads();
  if (s.size > max_subset || s.pool_size > max_pool) return false;
  order_pool(s, pool_limit);
  return true;
}

/// The points drawn by number, in their order: s.size of them.
template <class Source>
__device__ void draw_by_number(const Source& source, const PlaneTask& task, const FitRegion& region,
                               Search& s) {
  constexpr int most = (plane_math::most_looked_at / 4 - 1) / block_threads + 1;
  const std::uint32_t fours = plane_math::fours_looked_at(task.size);
  const int each = fours > block_threads ? most : 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t first = threadIdx.x * each;
  Quad q[most];
  unsigned taken = 0;
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (k >= each || first + k >= fours) break;
    q[k] = source.drawn(task, first + k);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (plane_math::may_be_drawn(q[k].x[i], q[k].y[i], q[k].z[i], region)) taken |= 1u << (4 * k + i);
  }
  const std::uint32_t own = __popc(taken);
  const std::uint32_t up_to_here = sum_up_to_here(own, lane);
  if (lane == 31) s.counts[warp] = up_to_here;
  __syncthreads();
  const std::uint32_t before = __reduce_add_sync(whole_warp, lane < warp ? s.counts[lane] : 0);
  std::uint32_t at = before + up_to_here - own;
#pragma unroll
  for (int k = 0; k < most; ++k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((taken >> (4 * k + i) & 1) == 0) continue;
      s.x[at] = q[k].x[i];
      s.y[at] = q[k].y[i];
      s.z[at++] = q[k].z[i];
    }
  }
  if (threadIdx.x == block_threads - 1) {
    s.size = s.pool_size = at;
    s.by_number = true;
  }
  __syncthreads();
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

/// hypotheses_needed() by table: the first k with miss_one <= needed[k - 1], from where the formula puts it.
__device__ inline int needed_for(std::int64_t inliers, std::uint32_t points, const NeededTable& needed,
                                 int limit) {
  const double w = inliers > 0 ? double(inliers) / points : 0;
  const double miss_one = 1 - w * w * w;
  const float guess =
      needed.log2_miss / __log2f(static_cast<float>(miss_one));  // of miss_one near 1: infinite
  int k = fabsf(guess) < static_cast<float>(limit) ? static_cast<int>(guess) : limit;
  if (k < 1) k = 1;
  while (k > 1 && miss_one <= __ldg(needed.miss_one + k - 2)) --k;
  while (k < limit && !(miss_one <= __ldg(needed.miss_one + k - 1))) ++k;
  return k;
}

/// One warp replays the paper's loop over counts[tried ... tried + count), whatever batch they came in: a hypothesis is
/// tried while its number is below what the best before it demands.
__device__ inline void replay(const std::uint32_t* counts, int count, std::uint32_t points,
                              std::int64_t margin, const NeededTable& table, int* tried, int* needed,
                              int* top) {
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
  const auto rank_of = [&](int i) {
    return i < tried ? counts[i] << 10 | static_cast<std::uint32_t>(max_tried - 1 - i) : 0;
  };
  const std::uint32_t kept[3] = {rank_of(lane), rank_of(lane + 32),
                                 rank_of(lane + 64)};  // mostly these are all
  std::uint32_t below = 0xFFFFFFFFu;
  int found = 0;
#pragma unroll 1
  while (found < plane_math::candidates) {
    std::uint32_t most = 0;
#pragma unroll
    for (const std::uint32_t rank : kept)
      if (rank < below && rank > most) most = rank;
#pragma unroll 1
    for (int i = lane + 96; i < tried; i += 32) {
      const std::uint32_t rank = rank_of(i);
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

}  // namespace datum::cuda
