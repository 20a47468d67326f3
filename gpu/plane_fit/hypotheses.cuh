// Hypotheses on the device: one block generates a batch of them, counts their inliers in the subset, and applies the
// sequential stopping rule to the counts (DESIGN.md, steps 2 to 4). The rule sees the counts in the order of the
// hypotheses, so the size of a batch never changes the result.
#pragma once

#include "gpu/plane_fit/hypotheses.h"
#include "gpu/plane_fit/local_optimization.h"
#include "gpu/plane_fit/shared_memory.cuh"
#include "gpu/plane_fit/warp.cuh"

namespace datum::cuda {

using plane_math::Hypothesis;

/// The ordered points of the pool.
struct SharedPool {
  const SearchMemory* s;
  __device__ plane_math::Point operator[](std::uint32_t i) const {
    const int at = s->by_index ? static_cast<int>(i) : s->pool[i];
    return plane_math::Point{s->x[at], s->y[at], s->z[at]};
  }
};

/// 1 if |r| <= z_threshold, else 0. Comparing into a float and adding costs one instruction less than a predicate.
__device__ inline float is_within(float r, float z_threshold) {
  float hit;
  asm("{.reg .f32 a; abs.f32 a, %1; set.le.f32.f32 %0, a, %2;}" : "=f"(hit) : "f"(r), "f"(z_threshold));
  return hit;
}

/// Generates `count` hypotheses from number `first` on, as (-a, -b, c, z_threshold), padded to a multiple of four.
template <class Pool>
__device__ void generate_hypotheses(const PlaneTask& task, const FitRegion& region, const Pool& pool,
                                    std::uint32_t pool_size, int first, int count, float4* hypotheses) {
  const int rounded = (count + 3) / 4 * 4;
  for (int k = threadIdx.x; k < rounded; k += block_threads) {
    float4 h = make_float4(0, 0, 0, -1);
    if (k < count) {
      const Hypothesis hypothesis = plane_math::hypothesis_of(
          static_cast<std::uint32_t>(first + k), task.seed, pool, pool_size, task.threshold, region);
      h = make_float4(-hypothesis.a, -hypothesis.b, hypothesis.c, hypothesis.z_threshold);
    }
    hypotheses[k] = h;
  }
}

/// Counts the inliers of `count` hypotheses in the subset; each warp counts four at a time.
__device__ inline void count_subset(SearchMemory& s, int first, int count) {
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

/// hypotheses_needed() by the table: the first k with miss_one <= needed[k - 1]. The search begins at equation 2 in
/// float, whose error cannot change the result.
__device__ inline int needed_by_table(std::int64_t inliers, std::uint32_t points, const StoppingTable& needed,
                                      int limit) {
  const double w = inliers > 0 ? double(inliers) / points : 0;
  const double miss_one = 1 - w * w * w;
  const float guess =
      needed.log2_miss / __log2f(static_cast<float>(miss_one));  // infinite where miss_one rounds to 1
  int k = fabsf(guess) < static_cast<float>(limit) ? static_cast<int>(guess) : limit;
  if (k < 1) k = 1;
  while (k > 1 && miss_one <= __ldg(needed.miss_one + k - 2)) --k;
  while (k < limit && !(miss_one <= __ldg(needed.miss_one + k - 1))) ++k;
  return k;
}

/// One warp applies the sequential stopping rule to counts[*tried ... *tried + count): a hypothesis is tried while its
/// number is below the N that the best count before it demands. Equal counts keep the lower number.
__device__ inline void apply_stopping_rule(const std::uint32_t* counts, int count, std::uint32_t points,
                                           std::int64_t margin, const StoppingTable& table, int* tried,
                                           int* needed, int* top) {
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
    best = best > *top ? best : *top;  // of the hypotheses up to this one
    const int demanded = needed_by_table(best - margin, points, table, *needed);
    int before = __shfl_up_sync(whole_warp, demanded, 1);
    if (lane == 0) before = *needed;
    const unsigned taken = __ballot_sync(whole_warp, there && number < before);
    const int n = __popc(taken);  // the first n, because N never rises with the number
    if (n > 0) {
      *needed = __shfl_sync(whole_warp, demanded, n - 1);
      *top = __shfl_sync(whole_warp, best, n - 1);
      *tried += n;
    }
    if (n < 32) return;
  }
}

/// One warp finds the `candidates` hypotheses with the highest counts of at least 3, those of equal counts in the
/// order of their numbers. Returns how many there are. A rank packs the count, below max_points = 2^22, and 10 bits
/// of number.
__device__ inline int find_best(const std::uint32_t* counts, int tried, std::uint16_t* best) {
  const int lane = threadIdx.x % 32;
  const auto rank_of = [&](int i) {
    return i < tried ? counts[i] << 10 | static_cast<std::uint32_t>(max_tried - 1 - i) : 0;
  };
  const std::uint32_t kept[3] = {rank_of(lane), rank_of(lane + 32), rank_of(lane + 64)};  // nearly always all
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

/// Tests hypotheses on the subset until the rule ends; s.tried is their number. `of_more`: the subset is a sample of
/// more points.
__device__ inline void test_on_subset(const Batch& batch, const PlaneTask& task, const FitRegion& region,
                                      bool of_more, SearchMemory& s) {
  const std::uint32_t points = s.size;
  const std::int64_t margin = plane_math::count_margin(points, of_more);
  if (threadIdx.x == 0) {
    s.tried = 0;
    s.needed = batch.max_hypotheses;
    s.top = -1;
  }
  __syncthreads();
  int batch_size = 32;  // four hypotheses for each warp; N is unknown before the first batch
  for (;;) {
    const int left = s.needed - s.tried, tried = s.tried;
    if (left <= 0) break;
    const int count = left < batch_size ? left : batch_size;
    generate_hypotheses(task, region, SharedPool{&s}, s.pool_size, tried, count, s.hypotheses);
    __syncthreads();
    count_subset(s, tried, count);
    __syncthreads();
    if (threadIdx.x < 32) {
      int now_tried = s.tried, needed = s.needed, top = s.top;
      apply_stopping_rule(s.counts, count, points, margin, batch.needed, &now_tried, &needed, &top);
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

}  // namespace datum::cuda
