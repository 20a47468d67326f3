// Hypotheses of one plane: laid through drawn points, counted, and replayed in the paper's order; one block per plane.
#pragma once

#include "gpu/plane_fit/plane_fit_tiles.cuh"

namespace datum::cuda {

using plane_math::Plane;
using plane_math::Point;

/// The drawn points and what is laid through them.
struct Search {
  float x[max_subset], y[max_subset], z[max_subset];  // in any order: only counts and sums follow
  std::uint16_t drawn[max_pool], pool[max_pool];      // numbers of the pool's points: as found, and in order
  float4 hypotheses[max_counted];
  std::uint32_t counts[max_tried];
  std::uint32_t size, pool_size;
  int tried, needed, top;
  std::uint16_t best[plane_math::candidates];  // hypotheses of the highest counts
  Plane starts[plane_math::candidates];        // and their planes
  int best_count;
  alignas(16) unsigned char refiners[plane_math::candidates][sizeof(Refiner)];
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

__device__ inline std::uint32_t key_of(const Search& s, std::uint64_t seed, int p) {
  return plane_math::point_key(__float_as_uint(s.x[p]), __float_as_uint(s.y[p]),
                               static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// Order of the pool: by key, then z, x, y.
__device__ inline bool before_in_pool(const Search& s, std::uint64_t seed, int p, int q) {
  const std::uint32_t pk = key_of(s, seed, p), qk = key_of(s, seed, q);
  if (pk != qk) return pk < qk;
  const std::uint32_t pz = __float_as_uint(s.z[p]), qz = __float_as_uint(s.z[q]);
  if (pz != qz) return pz < qz;
  const std::uint32_t px = __float_as_uint(s.x[p]), qx = __float_as_uint(s.x[q]);
  if (px != qx) return px < qx;
  return __float_as_uint(s.y[p]) < __float_as_uint(s.y[q]);
}

/// Orders the pool: keys are uniform up to the limit, so 256 buckets leave next to nothing to be sorted.
__device__ inline void order_pool(Search& s, std::uint64_t seed, std::uint32_t pool_limit) {
  constexpr int buckets = block_threads;
  std::uint32_t* const filled = s.counts;           // of each bucket; nothing is counted yet
  std::uint32_t* const begin = s.counts + buckets;  // of each bucket
  std::uint32_t* const totals = s.counts + 2 * buckets;
  const unsigned long long per_key = (std::uint64_t{buckets} << 32) / (std::uint64_t{pool_limit} + 1);
  const int n = s.pool_size, b = threadIdx.x, lane = b % 32;
  filled[b] = 0;
  __syncthreads();
  int bucket[max_pool / block_threads], rank[max_pool / block_threads];
#pragma unroll
  for (int k = 0; k < max_pool / block_threads; ++k) {
    const int i = b + k * block_threads;
    if (i >= n) break;
    bucket[k] = static_cast<int>((key_of(s, seed, s.drawn[i]) * per_key) >> 32);
    rank[k] = static_cast<int>(atomicAdd(&filled[bucket[k]], 1u));
  }
  __syncthreads();
  std::uint32_t sum = filled[b];
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(whole_warp, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) totals[b / 32] = sum;
  __syncthreads();
  for (int w = 0; w < b / 32; ++w) sum += totals[w];
  begin[b] = sum - filled[b];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < max_pool / block_threads; ++k) {
    const int i = b + k * block_threads;
    if (i < n) s.pool[begin[bucket[k]] + rank[k]] = s.drawn[i];
  }
  __syncthreads();
  std::uint16_t* const mine = s.pool + begin[b];
  for (int i = 1; i < static_cast<int>(filled[b]); ++i) {
    const std::uint16_t moving = mine[i];
    int at = i;
    for (; at > 0 && before_in_pool(s, seed, moving, mine[at - 1]); --at) mine[at] = mine[at - 1];
    mine[at] = moving;
  }
  __syncthreads();
}

/// Filters the plane's draws by the limits that its number of heights demands, and orders the pool. False: more points
/// than there is room for, so they lie at one place.
__device__ __noinline__ bool gather_draws(const float4* draws, std::uint32_t drawn, std::uint32_t valid,
                                          std::uint64_t seed, Search& s) {
  constexpr int each = 8;
  if (threadIdx.x == 0) s.size = s.pool_size = 0;
  __syncthreads();
  const std::uint32_t limit = plane_math::key_limit(valid, plane_math::subset_target),
                      pool_limit = plane_math::key_limit(valid, plane_math::pool_target);
  const unsigned lane = threadIdx.x % 32, lower = (1u << lane) - 1;
  for (std::uint32_t first = 0; first < drawn; first += each * block_threads) {
    float4 d[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const std::uint32_t i = first + threadIdx.x + k * block_threads;
      d[k] = i < drawn ? __ldcg(draws + i) : make_float4(0, 0, 0, 0);
    }
    // Where a warp's points go: one addition for all of them.
    int chosen_sum = 0, member_sum = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const bool there = first + threadIdx.x + k * block_threads < drawn;
      chosen_sum += __popc(__ballot_sync(whole_warp, there && __float_as_uint(d[k].w) <= limit));
      member_sum += __popc(__ballot_sync(whole_warp, there && __float_as_uint(d[k].w) <= pool_limit));
    }
    unsigned at = 0, member = 0;
    if (lane == 0) {
      at = atomicAdd(&s.size, static_cast<unsigned>(chosen_sum));
      member = atomicAdd(&s.pool_size, static_cast<unsigned>(member_sum));
    }
    at = __shfl_sync(whole_warp, at, 0);
    member = __shfl_sync(whole_warp, member, 0);
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const bool there = first + threadIdx.x + k * block_threads < drawn;
      const unsigned chosen = __ballot_sync(whole_warp, there && __float_as_uint(d[k].w) <= limit);
      const unsigned members = __ballot_sync(whole_warp, there && __float_as_uint(d[k].w) <= pool_limit);
      const unsigned place = at + __popc(chosen & lower), in_pool = member + __popc(members & lower);
      if ((chosen >> lane & 1) && place < max_subset) {
        s.x[place] = d[k].x;
        s.y[place] = d[k].y;
        s.z[place] = d[k].z;
        if ((members >> lane & 1) && in_pool < max_pool) s.drawn[in_pool] = static_cast<std::uint16_t>(place);
      }
      at += __popc(chosen);
      member += __popc(members);
    }
  }
  __syncthreads();
  if (s.size > max_subset || s.pool_size > max_pool) return false;
  order_pool(s, seed, pool_limit);
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

}  // namespace datum::cuda
