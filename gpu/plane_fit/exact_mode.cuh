// Exact mode: every hypothesis is counted on all points, in passes over the tiles, as in the multi-plane paper
// (section II.1, step 1.3). Batches of hypotheses are counted together; the stopping rule sees the counts in their
// order, so that the result is that of the paper's loop.
#pragma once

#include "gpu/plane_fit/phases.cuh"

namespace datum::cuda {

/// The pool in device memory, because the passes over the points use the shared memory of the search.
struct StoredPool {
  const float4* points;
  __device__ plane_math::Point operator[](std::uint32_t i) const {
    return plane_math::Point{points[i].x, points[i].y, points[i].z};
  }
};

__device__ inline StoredPool stored_pool(const Batch& b, std::uint32_t plane) {
  return __ldcg(&b.work[plane].by_index) ? StoredPool{b.subsets + std::uint64_t{plane} * max_subset}
                                         : StoredPool{b.pools + std::uint64_t{plane} * max_pool};
}

/// All threads generate the next hypotheses and prepare a count pass.
__device__ inline void begin_count(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                   PlaneWork* work, int tried, int count) {
  generate_hypotheses(task, region_of(b, task), stored_pool(b, plane), work->pool_size, tried, count,
                      work->hypotheses);
  if (threadIdx.x < max_counted) work->counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    work->counted = count;
    work->tiles_done = 0;
  }
}

/// Pass of Phase::count over a tile: work->counts[k] += inliers of hypothesis k.
template <bool Scan, class Source>
__device__ void count_tile(const Source& source, const PlaneTask& task, PlaneWork* work, std::uint32_t begin,
                           std::uint32_t end, const float4* hypotheses, int count,
                           std::uint32_t (*warp_counts)[max_counted]) {
  constexpr int quads = 2;
  const int warp = threadIdx.x / 32;
  const bool first_lane = threadIdx.x % 32 == 0;
  for (int k = threadIdx.x % 32; k < count; k += 32) warp_counts[warp][k] = 0;
  __syncwarp();
  ThreadScan scan;
  for (std::uint32_t first = begin; first < end; first += quads * block_threads) {
    float x[4 * quads], y[4 * quads], z[4 * quads];
#pragma unroll
    for (int k = 0; k < quads; ++k) {
      const std::uint32_t at = first + k * block_threads + threadIdx.x;
      Quad q = Source::unpack(source, task, source.load(task, at < end ? at : end - 1));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (at >= end) q.z[i] = __int_as_float(0x7FC00000);
        x[4 * k + i] = q.x[i];
        y[4 * k + i] = q.y[i];
        z[4 * k + i] = q.z[i];
      }
      if constexpr (Scan) scan.add<Source::bounded>(task, q);
    }
    // Four hypotheses at a time. Two counts of at most 8 pack into one exact float, so that one reduction sums both.
#pragma unroll 1
    for (int k = 0; k < count; k += 4) {
      float hits[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const float4 h = hypotheses[k + u];
        hits[u] = 0;
#pragma unroll
        for (int i = 0; i < 4 * quads; ++i)
          hits[u] = __fadd_rn(hits[u], is_within(fmaf(h.x, x[i], fmaf(h.y, y[i], z[i] - h.z)), h.w));
      }
#pragma unroll
      for (int u = 0; u < 4; u += 2) {
        const unsigned pair = __float_as_uint(fmaf(hits[u + 1], 4096.f, hits[u]) + 8388608.f) & 0x7FFFFFu;
        const unsigned sum = __reduce_add_sync(whole_warp, (pair & 0xFFFu) | (pair >> 12) << 16);
        if (first_lane) {
          warp_counts[warp][k + u] += sum & 0xFFFFu;
          warp_counts[warp][k + u + 1] += sum >> 16;
        }
      }
    }
  }
  if constexpr (Scan) scan.report(work);
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += block_threads) {
    std::uint32_t sum = 0;
    for (int w = 0; w < block_warps; ++w) sum += warp_counts[w][k];
    if (sum > 0) atomicAdd(&work->counts[k], sum);
  }
}

/// All threads add the counts of a pass to those before and apply the stopping rule to them. s.best: the best
/// hypotheses once the rule has ended.
__device__ inline void apply_counts(const Batch& b, PlaneWork* work, std::uint32_t* counts, int before,
                                    int counted, std::uint32_t valid, SearchMemory& s) {
  for (int k = threadIdx.x; k < before; k += block_threads) s.counts[k] = __ldcg(counts + k);
  for (int k = threadIdx.x; k < counted; k += block_threads) {
    s.counts[before + k] = __ldcg(&work->counts[k]);
    counts[before + k] = s.counts[before + k];
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    int tried = before, needed = __ldcg(&work->needed), top = __ldcg(&work->top);
    apply_stopping_rule(s.counts, counted, valid, 0, b.needed, &tried, &needed, &top);
    const int found = tried < needed ? 0 : find_best(s.counts, tried, s.best);
    __syncwarp();
    if (threadIdx.x == 0) {
      work->tried = static_cast<std::uint32_t>(tried);
      work->needed = needed;
      work->top = top;
      work->scanned = 1;
      s.tried = tried;
      s.needed = needed;
      s.best_count = found;
    }
  }
  __syncthreads();
}

/// All threads copy the subset back to shared memory, and the first one puts the plane of the best hypothesis into
/// s.starts[0].
__device__ inline void restore_subset(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                      const FitRegion& region, const PlaneWork* work, SearchMemory& s) {
  const float4* const subset = b.subsets + std::uint64_t{plane} * max_subset;
  const std::uint32_t size = __ldcg(&work->subset_size);
  for (std::uint32_t i = threadIdx.x; i < size; i += block_threads) {
    const float4 p = __ldcg(subset + i);
    s.x[i] = p.x;
    s.y[i] = p.y;
    s.z[i] = p.z;
  }
  if (threadIdx.x == 0) {
    const Hypothesis h = plane_math::hypothesis_of(s.best[0], task.seed, stored_pool(b, plane),
                                                   work->pool_size, task.threshold, region);
    s.size = size;
    s.optimum_count = 0;
    s.starts[0] = plane_math::Plane{h.a, h.b, h.c};
  }
  __syncthreads();
}

/// The mode of the kernels.
struct ExactMode {
  static constexpr bool counts_all_points = true;

  /// After the sampling: keeps subset and pool in device memory. See ScreenedMode.
  static __device__ __noinline__ Phase after_sampling(const Batch& b, const PlaneTask& task,
                                                      std::uint32_t plane, PlaneFit fit, bool of_more,
                                                      BlockMemory& shared) {
    PlaneWork* work = b.work + plane;
    SearchMemory& s = *reinterpret_cast<SearchMemory*>(shared.search);
    const FitRegion region = region_of(b, task);
    if (s.pool_size < 3) return end_without_consensus(b, plane, work, fit);
    float4* const subset = b.subsets + std::uint64_t{plane} * max_subset;
    float4* const pool = b.pools + std::uint64_t{plane} * max_pool;
    for (std::uint32_t i = threadIdx.x; i < s.size; i += block_threads)
      subset[i] = make_float4(s.x[i], s.y[i], s.z[i], 0);
    for (std::uint32_t i = threadIdx.x; !s.by_index && i < s.pool_size; i += block_threads) {
      const plane_math::Point p = SharedPool{&s}[i];
      pool[i] = make_float4(p.x, p.y, p.z, 0);
    }
    if (threadIdx.x == 0) {
      work->by_index = s.by_index;
      work->subset_size = s.size;
      work->pool_size = s.pool_size;
      work->tried = 0;
      work->needed = b.max_hypotheses;
      work->top = -1;
    }
    __syncthreads();
    // The subset predicts how many hypotheses the rule needs, so that one pass nearly always suffices.
    test_on_subset(b, task, region, of_more, s);
    begin_count(b, task, plane, work, 0, s.tried < max_counted ? s.tried : max_counted);
    return Phase::count;
  }

  /// Pass of Phase::count over a tile.
  template <class Source>
  static __device__ void count_pass(const Source& source, const PlaneTask& task, PlaneWork* work,
                                    bool scanned, std::uint32_t begin, std::uint32_t end, BlockMemory& s) {
    const int counted = static_cast<int>(__ldcg(&work->counted));
    for (int k = threadIdx.x; k < (counted + 3) / 4 * 4; k += block_threads)
      s.hypotheses[k] = __ldcg(&work->hypotheses[k]);
    __syncthreads();
    if (scanned) {
      count_tile<false>(source, task, work, begin, end, s.hypotheses, counted, s.warp_counts);
    } else {
      count_tile<true>(source, task, work, begin, end, s.hypotheses, counted, s.warp_counts);
    }
  }

  /// After a count pass: counts more hypotheses, or refines the best one.
  static __device__ __noinline__ Phase after_count(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                                   BlockMemory& shared) {
    PlaneWork* work = b.work + plane;
    SearchMemory& s = *reinterpret_cast<SearchMemory*>(shared.search);
    RefinementMemory& r = *reinterpret_cast<RefinementMemory*>(shared.refinement);
    std::uint32_t* counts = b.all_counts + std::uint64_t{plane} * max_tried;
    const int before = static_cast<int>(__ldcg(&work->tried)),
              counted = static_cast<int>(__ldcg(&work->counted));
    const std::uint32_t valid = __ldcg(&work->valid);
    if (__ldcg(&work->outside) != 0) {
      finish(b, plane, result_of_scan(valid, false), false);
      return Phase::done;
    }
    apply_counts(b, work, counts, before, counted, valid, s);
    if (s.tried < s.needed) {
      const int left = s.needed - s.tried;
      begin_count(b, task, plane, work, s.tried, left < max_counted ? left : max_counted);
      return Phase::count;
    }
    PlaneFit fit = result_of_scan(valid, true);
    fit.hypotheses = static_cast<std::uint32_t>(s.tried);
    if (s.best_count == 0) {
      finish(b, plane, fit, false);
      return Phase::done;
    }
    const FitRegion region = region_of(b, task);
    restore_subset(b, task, plane, region, work, s);
    optimize_locally(s, s.starts[0], task.threshold, region);
    if (threadIdx.x == 0) {
      const LocalOptimum& p = optimizer_of(s).result();
      work->fit = fit;
      r.refiner = Refiner(p.spans ? p.plane : s.starts[0], refinement_threshold(task), region);
      r.refiner.rebase();
    }
    begin_accumulate(work, r.refiner);
    return Phase::accumulate;
  }
};

}  // namespace datum::cuda
