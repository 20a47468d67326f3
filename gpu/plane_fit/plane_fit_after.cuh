// What follows a plane's pass over its points, in the block that finished the last tile of it.
//
// Each function says what the next pass over the points is for. None of them is inlined: they would take registers from the
// passes, and nvcc 13.0 lost the reconvergence of a warp before barriers when all was one function (compute-sanitizer
// synccheck found it).
#pragma once

#include "gpu/plane_fit/plane_fit_queue.cuh"

namespace datum::cuda {

__device__ inline void clear(PlaneWork* work) {
  std::uint32_t* words = reinterpret_cast<std::uint32_t*>(work);
  for (std::uint32_t i = threadIdx.x; i < sizeof(PlaneWork) / 4; i += block_threads) words[i] = 0;
}

/// All threads: the plane's result stands.
__device__ inline void finish(const Batch& b, std::uint32_t plane, const PlaneFit& fit, bool undone) {
  __syncthreads();
  if (threadIdx.x == 0) {
    b.fits[plane] = fit;
    b.undone[plane] = undone;
  }
  clear(b.work + plane);  // seen by the next launch
  if (threadIdx.x == 0) atomicAdd(&b.queue->planes_done, 1u);
}

/// A warp copies what another block wrote.
template <class T>
__device__ void copy_by_warp(T* to, const T* from) {
  static_assert(sizeof(T) % 4 == 0, "whole words");
#pragma unroll
  for (unsigned i = threadIdx.x % 32; i < sizeof(T) / 4; i += 32)
    reinterpret_cast<std::uint32_t*>(to)[i] = __ldcg(reinterpret_cast<const std::uint32_t*>(from) + i);
  __syncwarp();
}

/// All threads: the next pass is over all points, around the base plane of the refiner in shared memory.
__device__ inline void begin_accumulate(PlaneWork* work, const Refiner& refiner) {
  __syncthreads();
  const std::uint32_t* words = reinterpret_cast<const std::uint32_t*>(&refiner);
  for (unsigned i = threadIdx.x; i < sizeof(Refiner) / 4; i += block_threads)
    reinterpret_cast<std::uint32_t*>(&work->refiner)[i] = words[i];
  if (threadIdx.x < 10) work->moments[threadIdx.x] = 0;
  if (threadIdx.x == 0) work->tiles_done = 0;
}

__device__ inline StoredPool stored_pool(const Batch& b, std::uint32_t plane) {
  return __ldcg(&b.work[plane].by_number) ? StoredPool{b.subsets + std::uint64_t{plane} * max_subset}
                                          : StoredPool{b.pools + std::uint64_t{plane} * max_pool};
}

/// Lays the next hypotheses to be counted on all points.
__device__ inline void begin_count(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                   PlaneWork* work, int tried, int count) {
  lay(task, region_of(b, task), stored_pool(b, plane), work->pool_size, tried, count, work->hypotheses);
  if (threadIdx.x < max_counted) work->counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    work->counted = count;
    work->tiles_done = 0;
  }
}

/// A base plane that no point is near.
__device__ inline Base nothing_inside() {
  Base base{};
  base.core = base.outer = -1;
  return base;
}

__device__ inline float widest(const PlaneTask& task) {
  return task.refit_threshold > task.threshold ? task.refit_threshold : task.threshold;
}

/// Nothing was found in the points drawn. All points are to be looked at where none was, so that the
/// result can tell of them.
__device__ inline Phase give_up(const Batch& b, std::uint32_t plane, PlaneWork* work, const PlaneFit& fit) {
  if (work->surveyed) {
    finish(b, plane, fit, false);
    return Phase::done;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    work->fit = fit;
    work->tiles_done = 0;
  }
  return Phase::survey;
}

/// The points are drawn, `of_more` than themselves. The phase of the next pass.
template <bool Exact>
__device__ __noinline__ Phase after_draw(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                         PlaneFit fit, bool of_more, Shared& shared) {
  PlaneWork* work = b.work + plane;
  Search& s = *reinterpret_cast<Search*>(shared.search);
  Refining& r = *reinterpret_cast<Refining*>(shared.refining);
  const FitRegion region = region_of(b, task);
  if constexpr (Exact) {
    if (s.pool_size < 3) return give_up(b, plane, work, fit);
    float4* const subset = b.subsets + std::uint64_t{plane} * max_subset;
    float4* const pool = b.pools + std::uint64_t{plane} * max_pool;
    for (std::uint32_t i = threadIdx.x; i < s.size; i += block_threads)
      subset[i] = make_float4(s.x[i], s.y[i], s.z[i], 0);
    for (std::uint32_t i = threadIdx.x; !s.by_number && i < s.pool_size; i += block_threads) {
      const Point p = PoolOf{&s}[i];
      pool[i] = make_float4(p.x, p.y, p.z, 0);
    }
    if (threadIdx.x == 0) {
      work->by_number = s.by_number;
      work->subset_size = s.size;
      work->pool_size = s.pool_size;
      work->tried = 0;
      work->needed = b.max_hypotheses;
      work->top = -1;
    }
    __syncthreads();
    // As many as the rule is expected to want, so that it mostly takes one pass.
    run_rule_on_subset(b, task, region, of_more, s);
    begin_count(b, task, plane, work, 0, s.tried < max_counted ? s.tried : max_counted);
    return Phase::count;
  } else {
    search_subset(b, task, region, of_more, s);
    fit.hypotheses = static_cast<std::uint32_t>(s.tried);
    if (!s.found) return give_up(b, plane, work, fit);
    if (threadIdx.x == 0) {
      work->fit = fit;
      r.refiner = Refiner(s.plane, widest(task), region);
      r.refiner.rebase();
    }
    begin_accumulate(work, r.refiner);
    return Phase::accumulate;
  }
}

/// After the select pass. The phase of the next pass.
template <bool Exact>
__device__ __noinline__ Phase after_select(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                           Shared& shared) {
  PlaneWork* work = b.work + plane;
  Search& s = *reinterpret_cast<Search*>(shared.search);
  const std::uint32_t valid = __ldcg(&work->valid), drawn = __ldcg(&work->draw_count);
  const bool outside = __ldcg(&work->outside) != 0;
  if (outside || valid < 3 || task.half_x == 0 || task.half_y == 0) {
    finish(b, plane, surveyed(valid, !outside), false);
    return Phase::done;
  }
  // Mostly every point has a height, and nothing is left to be reckoned.
  const bool all = valid == task.size;
  const std::uint32_t limit =
                          all ? task.subset_limit : plane_math::key_limit(valid, plane_math::subset_target),
                      pool_limit =
                          all ? task.pool_limit : plane_math::key_limit(valid, plane_math::pool_target);
  if (limit > select_limit(task, __ldcg(&work->key_limit))) {
    __syncthreads();
    if (threadIdx.x == 0) {
      work->key_limit = limit;
      work->valid = work->outside = work->draw_count = work->tiles_done = 0;
    }
    return Phase::select;
  }
  if (drawn > task.draw_room || !gather_draws(b.draws + task.draws, drawn, limit, pool_limit, s)) {
    finish(b, plane, surveyed(valid, true), true);
    return Phase::done;
  }
  if (threadIdx.x == 0) work->surveyed = 1;
  return after_draw<Exact>(b, task, plane, surveyed(valid, true), s.size < valid, shared);
}

/// Instead of a pass: the points are drawn by number. The phase of the next pass.
template <bool Exact, class Source>
__device__ __noinline__ Phase draw(const Batch& b, const Source& source, const PlaneTask& task,
                                   std::uint32_t plane, Shared& shared) {
  Search& s = *reinterpret_cast<Search*>(shared.search);
  draw_by_number(source, task, region_of(b, task), s);
  if (plane_math::too_few_drawn(s.size, task.size)) return Phase::select;
  PlaneFit fit;
  fit.status = FitStatus::no_consensus;
  return after_draw<Exact>(b, task, plane, fit, task.size > plane_math::most_looked_at, shared);
}

/// After a pass that only looked at the points, for a plane whose search found nothing.
__device__ __noinline__ Phase after_survey(const Batch& b, std::uint32_t plane) {
  const PlaneWork* work = b.work + plane;
  const bool outside = __ldcg(&work->outside) != 0;
  PlaneFit fit = surveyed(__ldcg(&work->valid), !outside);
  if (!outside) fit.hypotheses = __ldcg(&work->fit.hypotheses);
  finish(b, plane, fit, false);
  return Phase::done;
}

/// After a count pass of exact mode.
__device__ __noinline__ Phase after_count(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                          Shared& shared) {
  PlaneWork* work = b.work + plane;
  Search& s = *reinterpret_cast<Search*>(shared.search);
  Refining& r = *reinterpret_cast<Refining*>(shared.refining);
  std::uint32_t* counts = b.all_counts + std::uint64_t{plane} * max_tried;
  const int before = static_cast<int>(__ldcg(&work->tried)),
            counted = static_cast<int>(__ldcg(&work->counted));
  const std::uint32_t valid = __ldcg(&work->valid);
  if (__ldcg(&work->outside) != 0) {
    finish(b, plane, surveyed(valid, false), false);
    return Phase::done;
  }
  for (int k = threadIdx.x; k < before; k += block_threads) s.counts[k] = __ldcg(counts + k);
  for (int k = threadIdx.x; k < counted; k += block_threads) {
    s.counts[before + k] = __ldcg(&work->counts[k]);
    counts[before + k] = s.counts[before + k];
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    int tried = before, needed = __ldcg(&work->needed), top = __ldcg(&work->top);
    replay(s.counts, counted, valid, 0, b.needed, &tried, &needed, &top);
    const int found = tried < needed ? 0 : find_best(s.counts, tried, s.best);
    __syncwarp();
    if (threadIdx.x == 0) {
      work->tried = static_cast<std::uint32_t>(tried);
      work->needed = needed;
      work->top = top;
      work->surveyed = 1;
      s.tried = tried;
      s.needed = needed;
      s.best_count = found;
    }
  }
  __syncthreads();
  if (s.tried < s.needed) {
    const int left = s.needed - s.tried;
    begin_count(b, task, plane, work, s.tried, left < max_counted ? left : max_counted);
    return Phase::count;
  }
  PlaneFit fit = surveyed(valid, true);
  fit.hypotheses = static_cast<std::uint32_t>(s.tried);
  if (s.best_count == 0) {
    finish(b, plane, fit, false);
    return Phase::done;
  }
  const FitRegion region = region_of(b, task);
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
    s.ended = 0;
    s.starts[0] = Plane{h.a, h.b, h.c};
  }
  __syncthreads();
  polish(s, s.starts[0], task.threshold, region);
  if (threadIdx.x == 0) {
    const Polished& p = polisher_of(s).result();
    work->fit = fit;
    r.refiner = Refiner(p.spans ? p.plane : s.starts[0], widest(task), region);
    r.refiner.rebase();
  }
  begin_accumulate(work, r.refiner);
  return Phase::accumulate;
}

/// A band list, which is read once for every least-squares plane, and the refiner that takes its sums: they lie where the
/// search was.
struct Near {
  static constexpr std::uint32_t room = (sizeof(Search) - sizeof(Refiner) - 48) / (3 * sizeof(float));
  float x[room], y[room], r[room];
  alignas(16) unsigned char refiner[sizeof(Refiner)];
  std::uint32_t listed;
};
static_assert(sizeof(Near) <= sizeof(Search), "it finds room there");

/// The band list of the tile that begins with a quad of its plane.
__device__ inline float4* band_of(const Batch& b, const PlaneTask& task, std::uint64_t quad) {
  return b.band + 4 * (task.first + quad);
}

/// Copies the tiles' lists, in any order, for only sums follow. near.listed > Near::room: they are too long.
__device__ inline void gather_near(const Batch& b, const PlaneTask& task, Near& near) {
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) near.listed = 0;
  __syncthreads();
  for (std::uint32_t tile = threadIdx.x / 32; tile < task.tiles; tile += block_warps) {
    const std::uint32_t n = __ldcg(b.band_counts + task.first_tile + tile);
    std::uint32_t to = 0;
    if (lane == 0 && n > 0) to = atomicAdd(&near.listed, n);
    to = __shfl_sync(whole_warp, to, 0);
    const float4* const from = band_of(b, task, std::uint64_t{tile} * b.tile_quads);
    for (std::uint32_t i = lane; i < n && to + i < Near::room; i += 32) {
      const float4 p = __ldcg(from + i);
      near.x[to + i] = p.x;
      near.y[to + i] = p.y;
      near.r[to + i] = p.z;
    }
  }
  __syncthreads();
}

/// A thread's share of the points on the list that `change` leaves inliers; they differ from pass to pass only here.
__device__ inline WideSums sum_near(const Batch& b, const PlaneTask& task, const Near& near, const Base& base,
                                    const Hypothesis& change) {
  WideSums wide;
  Sums sums;
  int held = 0;
  const auto add = [&](float x, float y, float r) {
    const float moved = fmaf(-change.a, x, fmaf(-change.b, y, r - change.c));
    sums.add(fabsf(moved) <= change.reach, x, y, r, base);
    if (++held == 16) {
      wide.add(sums);
      sums = Sums{};
      held = 0;
    }
  };
  if (near.listed <= Near::room) {
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i < near.listed; i += block_threads)
      add(near.x[i], near.y[i], near.r[i]);
  } else {
    for (std::uint32_t tile = threadIdx.x / 32; tile < task.tiles; tile += block_warps) {
      const std::uint32_t n = __ldcg(b.band_counts + task.first_tile + tile);
#pragma unroll 1
      for (std::uint32_t i = threadIdx.x % 32; i < n; i += 32) {
        const float4 p = __ldcg(band_of(b, task, std::uint64_t{tile} * b.tile_quads) + i);
        add(p.x, p.y, p.z);
      }
    }
  }
  wide.add(sums);
  return wide;
}

/// After a pass that summed the inliers and listed those that a small change moves.
__device__ __noinline__ Phase after_accumulate(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                               Shared& shared) {
  PlaneWork* work = b.work + plane;
  Refining& r = *reinterpret_cast<Refining*>(shared.refining);
  const std::uint32_t valid = __ldcg(&work->valid);
  if (__ldcg(&work->outside) != 0) {
    finish(b, plane, surveyed(valid, false), false);
    return Phase::done;
  }
  const int lane = threadIdx.x % 32;
  const long long core = lane < 10 ? __ldcg(&work->moments[lane]) : 0;
  Near& near = *reinterpret_cast<Near*>(shared.search);
  Refiner& refiner = *reinterpret_cast<Refiner*>(near.refiner);
  if (threadIdx.x < 32) copy_by_warp(&refiner, &work->refiner);
  if (threadIdx.x == 0) {
    r.fit = work->fit;
    r.fit.valid = valid;
    work->surveyed = 1;
  }
  gather_near(b, task, near);
  const Base base = refiner.base();
  Refiner::Next next;
  do {
    const Hypothesis change = refiner.change();
    next = take_sums(r, refiner, sum_in_warp(sum_near(b, task, near, base, change)), core, max_refits);
  } while (next == Refiner::Next::again);
  const Refined& end = refiner.result();
  const bool ended = next == Refiner::Next::done;
  __syncthreads();  // the first thread begins to change what the others look at
  if (threadIdx.x == 0) {
    if (ended) {
      r.fit.refits = static_cast<std::uint32_t>(end.refits);
    } else {
      refiner.rebase();
      work->fit = r.fit;
    }
  }
  if (!ended) {
    begin_accumulate(work, refiner);
    return Phase::accumulate;
  }
  if (threadIdx.x < 32 && end.spans) report_by_warp(end, &r.fit);
  finish(b, plane, r.fit, false);
  return Phase::done;
}

}  // namespace datum::cuda
