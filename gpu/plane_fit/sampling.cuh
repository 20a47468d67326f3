// Sampling on the device: the subset and the pool of a plane in the shared memory of a block (DESIGN.md, step 1).
//
// By index one block reads the sampled quads. By position the select pass lists the points with small keys, and the
// block that finishes the pass filters and orders them.
#pragma once

#include "gpu/plane_fit/point_sources.cuh"
#include "gpu/plane_fit/sampling.h"
#include "gpu/plane_fit/shared_memory.cuh"
#include "gpu/plane_fit/validity_scan.cuh"
#include "gpu/plane_fit/warp.cuh"

namespace datum::cuda {

/// Stages an entry; one that finds no room goes to the list in device memory at once.
__device__ inline void stage(Staging& s, const float4& entry, float4* list, std::uint32_t room,
                             std::uint32_t* list_count) {
  const std::uint32_t at = atomicAdd(&s.count, 1u);
  if (at < staged) {
    s.entry[at] = entry;
  } else {
    const std::uint32_t direct = atomicAdd(list_count, 1u);
    if (direct < room) list[direct] = entry;
  }
}

/// The whole block writes the staged entries out by put(place, entry).
template <class Put>
__device__ void unstage(Staging& s, std::uint32_t* list_count, Put put) {
  __syncthreads();
  const std::uint32_t n = s.count < staged ? s.count : staged;
  if (threadIdx.x == 0 && n > 0) s.place = atomicAdd(list_count, n);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < n; i += block_threads) put(s.place + i, s.entry[i]);
  __syncthreads();
  if (threadIdx.x == 0) s.count = 0;
}

/// Key limit of a select pass.
__device__ inline std::uint32_t select_limit(const PlaneTask& task, std::uint32_t of_work) {
  return of_work ? of_work : task.first_limit;
}

/// Pass of Phase::first and Phase::select over a tile: scans all points, samples those with keys up to `limit`.
template <class Source>
__device__ void select_tile(const Source& source, const PlaneTask& task, PlaneWork* work, float4* samples,
                            std::uint32_t limit, std::uint32_t begin, std::uint32_t end, Staging& staging) {
  const std::uint32_t low = static_cast<std::uint32_t>(task.seed),
                      high = static_cast<std::uint32_t>(task.seed >> 32);
  float4* const list = samples + task.first_sample;
  ThreadScan scan;
  for_quads<Source::ahead>(source, task, begin, end, [&](const Quad& q) {
    scan.add<false>(task, q);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float x = q.x[i], y = q.y[i], z = q.z[i];
      const std::uint32_t key = plane_math::point_key(__float_as_uint(x), __float_as_uint(y), low, high);
      if (key <= limit && has_height(z))
        stage(staging, make_float4(x, y, z, __uint_as_float(key)), list, task.sample_room,
              &work->sample_count);
    }
  });
  scan.report(work);
  unstage(staging, &work->sample_count, [&](std::uint32_t at, const float4& e) {
    if (at < task.sample_room) list[at] = e;
  });
}

/// Order of the pool's points p and q of equal keys: by z, x, y.
__device__ inline bool before_in_pool(const SearchMemory& s, int p, int q) {
  const std::uint32_t pz = __float_as_uint(s.z[p]), qz = __float_as_uint(s.z[q]);
  if (pz != qz) return pz < qz;
  const std::uint32_t px = __float_as_uint(s.x[p]), qx = __float_as_uint(s.x[q]);
  if (px != qx) return px < qx;
  return __float_as_uint(s.y[p]) < __float_as_uint(s.y[q]);
}

/// Orders the pool by key: a bucket sort, since keys are uniform, and an insertion sort of each bucket by one thread.
__device__ inline void order_pool(SearchMemory& s, std::uint32_t pool_limit) {
  constexpr int buckets = block_threads;
  std::uint32_t* const filled = s.counts;           // of each bucket; no hypothesis is counted yet
  std::uint32_t* const begin = s.counts + buckets;  // of each bucket
  std::uint32_t* const totals = s.counts + 2 * buckets;
  const float per_key = static_cast<float>(buckets) /
                        static_cast<float>(pool_limit);  // any rising map from keys to buckets will do
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
  const std::uint32_t sum = inclusive_prefix_sum(own, lane);
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
      if (key > other || (key == other && !before_in_pool(s, s.unordered[moving], s.unordered[mine[at - 1]])))
        break;
      mine[at] = mine[at - 1];
    }
    mine[at] = moving;
  }
#pragma unroll 1
  for (int i = 0; i < static_cast<int>(own); ++i) s.pool[begin[b] + i] = s.unordered[mine[i]];
  __syncthreads();
}

/// Filters the samples of a plane by the key limits and orders the pool. Returns false where they exceed the
/// capacity: so many equal keys mean coinciding points, and the plane needs the CPU fallback.
inline __device__ __noinline__ bool gather_samples(const float4* samples, std::uint32_t sampled,
                                                   std::uint32_t limit, std::uint32_t pool_limit,
                                                   SearchMemory& s) {
  constexpr int each = sample_capacity / block_threads;
  const unsigned lane = threadIdx.x % 32;
  float4 d[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const std::uint32_t i = threadIdx.x + k * block_threads;
    d[k] = i < sampled ? __ldcg(samples + i) : make_float4(0, 0, 0, 0);
  }
  if (threadIdx.x == 0) s.filled = 0;
  s.counts[threadIdx.x] = 0;
  __syncthreads();
  // The lower 16 bits count the points of the subset, the upper ones those of the pool: one atomic addition for both.
  unsigned own = 0;
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (threadIdx.x + k * block_threads < sampled)
      own += (__float_as_uint(d[k].w) <= limit) + ((__float_as_uint(d[k].w) <= pool_limit) << 16);
  const unsigned prefix_sum = inclusive_prefix_sum(own, lane);
  unsigned place = 0;
  if (lane == 31) place = atomicAdd(&s.filled, prefix_sum);
  place = __shfl_sync(whole_warp, place, 31) + prefix_sum - own;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const std::uint32_t key = __float_as_uint(d[k].w), at = place & 0xFFFFu, member = place >> 16;
    if (!(threadIdx.x + k * block_threads < sampled && key <= limit)) continue;
    const bool in_pool = key <= pool_limit;
    place += 1 + (in_pool << 16);
    if (at >= max_subset) continue;
    s.x[at] = d[k].x;
    s.y[at] = d[k].y;
    s.z[at] = d[k].z;
    if (in_pool && member < max_pool) {
      s.unordered[member] = static_cast<std::uint16_t>(at);
      s.keys[member] = key;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    s.size = s.filled & 0xFFFFu;
    s.pool_size = s.filled >> 16;
    s.by_index = false;
  }
  __syncthreads();
  if (s.size > max_subset || s.pool_size > max_pool) return false;
  order_pool(s, pool_limit);
  return true;
}

/// Samples by index; the subset is in the order of the points, as on the CPU, and is the pool.
template <class Source>
__device__ void sample_by_index(const Source& source, const PlaneTask& task, const FitRegion& region,
                                SearchMemory& s) {
  constexpr int most = (plane_math::max_sampled_points / 4 - 1) / block_threads + 1;
  const std::uint32_t quads = plane_math::sampled_quads(task.size);
  const int each = quads > block_threads ? most : 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t first = threadIdx.x * each;
  Quad q[most];
  unsigned taken = 0;
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (k >= each || first + k >= quads) break;
    q[k] = source.sampled_quad(task, first + k);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (plane_math::may_be_sampled(q[k].x[i], q[k].y[i], q[k].z[i], region)) taken |= 1u << (4 * k + i);
  }
  const std::uint32_t own = __popc(taken);
  const std::uint32_t prefix_sum = inclusive_prefix_sum(own, lane);
  if (lane == 31) s.counts[warp] = prefix_sum;
  __syncthreads();
  const std::uint32_t before = __reduce_add_sync(whole_warp, lane < warp ? s.counts[lane] : 0);
  std::uint32_t at = before + prefix_sum - own;
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
    s.by_index = true;
  }
  __syncthreads();
}

}  // namespace datum::cuda
