// One kernel fits a whole batch. Blocks take tiles from a queue; whoever finishes the last tile of a plane's pass decides
// what follows and puts the tiles of the next pass into the queue. So a plane that needs one pass more delays nobody,
// searching overlaps with reading, and no pass costs a launch.
//
// What only the last block of a pass does is not inlined: it would take registers from the passes, and nvcc 13.0 lost
// the reconvergence of a warp before barriers when all was one function (compute-sanitizer synccheck found it).
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
  if (threadIdx.x == 0) {
    work->band_count = 0;
    work->tiles_done = 0;
    work->phase = Phase::accumulate;
  }
}

__device__ inline PlaneFit begin_fit(const PlaneTask& task, std::uint32_t valid, bool outside) {
  PlaneFit fit;
  fit.valid = valid;
  fit.status = outside     ? FitStatus::out_of_bounds
               : valid < 3 ? FitStatus::too_few_points
                           : FitStatus::no_consensus;
  return fit;
}

/// Lays the next hypotheses to be counted on all points.
__device__ inline void begin_count(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                   PlaneWork* work, int tried, int count) {
  lay(task, region_of(b, task), StoredPool{b.pools + std::uint64_t{plane} * max_pool}, work->pool_size, tried,
      count, work->hypotheses);
  if (threadIdx.x < max_counted) work->counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    work->counted = count;
    work->tiles_done = 0;
    work->phase = Phase::count;
  }
}

__device__ inline float widest(const PlaneTask& task) {
  return task.refit_threshold > task.threshold ? task.refit_threshold : task.threshold;
}

/// After the select pass. True: another pass is to be queued.
template <bool Exact>
__device__ __noinline__ bool after_select(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                          Shared& shared) {
  PlaneWork* work = b.work + plane;
  Search& s = *reinterpret_cast<Search*>(shared.search);
  Refining& r = *reinterpret_cast<Refining*>(shared.refining);
  const std::uint32_t valid = __ldcg(&work->valid), drawn = __ldcg(&work->draw_count);
  const bool outside = __ldcg(&work->outside) != 0;
  PlaneFit fit = begin_fit(task, valid, outside);
  if (outside || valid < 3 || task.half_x == 0 || task.half_y == 0) {
    finish(b, plane, fit, false);
    return false;
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
    return true;
  }
  if (drawn > task.draw_room || !gather_draws(b.draws + task.draws, drawn, limit, pool_limit, s)) {
    finish(b, plane, fit, true);
    return false;
  }
  const FitRegion region = region_of(b, task);
  if constexpr (Exact) {
    if (s.pool_size < 3) {
      finish(b, plane, fit, false);
      return false;
    }
    float4* pool = b.pools + std::uint64_t{plane} * max_pool;
    for (std::uint32_t i = threadIdx.x; i < s.pool_size; i += block_threads) {
      const Point p = PoolOf{&s}[i];
      pool[i] = make_float4(p.x, p.y, p.z, 0);
    }
    if (threadIdx.x == 0) {
      work->pool_size = s.pool_size;
      work->tried = 0;
      work->needed = b.max_hypotheses;
      work->top = -1;
    }
    __syncthreads();
    // As many as the rule is expected to want, so that it mostly takes one pass.
    run_rule_on_subset(b, task, region, valid, shared.needed, s);
    begin_count(b, task, plane, work, 0, s.tried < max_counted ? s.tried : max_counted);
    return true;
  } else {
    search_subset(b, task, region, valid, shared.needed, s, r);
    fit.hypotheses = static_cast<std::uint32_t>(s.tried);
    if (!s.found) {
      finish(b, plane, fit, false);
      return false;
    }
    if (threadIdx.x == 0) {
      work->fit = fit;
      work->stage = 1;  // it has settled on the subset
      r.refiner = Refiner(s.plane, widest(task), region);
      r.refiner.rebase();
    }
    begin_accumulate(work, r.refiner);
    return true;
  }
}

/// After a count pass of exact mode.
__device__ __noinline__ bool after_count(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                         Shared& shared) {
  PlaneWork* work = b.work + plane;
  Search& s = *reinterpret_cast<Search*>(shared.search);
  Refining& r = *reinterpret_cast<Refining*>(shared.refining);
  std::uint32_t* counts = b.all_counts + std::uint64_t{plane} * max_tried;
  const int before = static_cast<int>(__ldcg(&work->tried)),
            counted = static_cast<int>(__ldcg(&work->counted));
  const std::uint32_t valid = __ldcg(&work->valid);
  for (int k = threadIdx.x; k < before; k += block_threads) s.counts[k] = __ldcg(counts + k);
  for (int k = threadIdx.x; k < counted; k += block_threads) {
    s.counts[before + k] = __ldcg(&work->counts[k]);
    counts[before + k] = s.counts[before + k];
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    int tried = before, needed = __ldcg(&work->needed), top = __ldcg(&work->top);
    replay(s.counts, counted, valid, 0, shared.needed, &tried, &needed, &top);
    const int found = tried < needed ? 0 : find_best(s.counts, tried, s.best);
    __syncwarp();
    if (threadIdx.x == 0) {
      work->tried = static_cast<std::uint32_t>(tried);
      work->needed = needed;
      work->top = top;
      s.tried = tried;
      s.needed = needed;
      s.best_count = found;
    }
  }
  __syncthreads();
  if (s.tried < s.needed) {
    const int left = s.needed - s.tried;
    begin_count(b, task, plane, work, s.tried, left < max_counted ? left : max_counted);
    return true;
  }
  PlaneFit fit = begin_fit(task, valid, false);
  fit.hypotheses = static_cast<std::uint32_t>(s.tried);
  if (s.best_count == 0) {
    finish(b, plane, fit, false);
    return false;
  }
  if (threadIdx.x == 0) {
    const FitRegion region = region_of(b, task);
    const Hypothesis h =
        plane_math::hypothesis_of(s.best[0], task.seed, StoredPool{b.pools + std::uint64_t{plane} * max_pool},
                                  work->pool_size, task.threshold, region);
    work->fit = fit;
    r.refiner = Refiner(Plane{h.a, h.b, h.c}, task.threshold, region);
    r.refiner.rebase();
  }
  begin_accumulate(work, r.refiner);
  return true;
}

/// The beginning of a band list, which is read once for every least-squares plane.
struct Near {
  static constexpr std::uint32_t room = (sizeof(Search) - sizeof(Search::refiners)) / (3 * sizeof(float));
  float x[room], y[room], r[room];
};
static_assert(sizeof(Near) <= sizeof(Search) - sizeof(Search::refiners),
              "it lies where the search was, before the refiners");

/// After a pass that summed the inliers and listed those that a small change moves.
__device__ __noinline__ bool after_accumulate(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                              Shared& shared) {
  PlaneWork* work = b.work + plane;
  Refining& r = *reinterpret_cast<Refining*>(shared.refining);
  const std::uint32_t listed = __ldcg(&work->band_count), stage = __ldcg(&work->stage);
  const int lane = threadIdx.x % 32;
  const long long core = lane < 10 ? __ldcg(&work->moments[lane]) : 0;
  Refiner& refiner = *reinterpret_cast<Refiner*>(reinterpret_cast<Search*>(shared.search)->refiners);
  if (threadIdx.x < 32) copy_by_warp(&refiner, &work->refiner);
  if (threadIdx.x == 0) r.fit = work->fit;
  if (listed > task.band_room) {
    finish(b, plane, r.fit, true);
    return false;
  }
  const float4* band = b.band + task.band;
  Near& near = *reinterpret_cast<Near*>(shared.search);
  for (std::uint32_t i = threadIdx.x; i < listed && i < Near::room; i += block_threads) {
    const float4 p = __ldcg(band + i);
    near.x[i] = p.x;
    near.y[i] = p.y;
    near.r[i] = p.z;
  }
  __syncthreads();
  const Base base = refiner.base();
  Refiner::Next next;
  do {
    const Hypothesis change = refiner.change();
    WideSums wide;
    for (std::uint32_t first = threadIdx.x; first - threadIdx.x < listed; first += 16 * block_threads) {
      Sums sums;
#pragma unroll 4
      for (int k = 0; k < 16; ++k) {
        const std::uint32_t at = first + k * block_threads;  // what this thread kept
        if (at >= listed) break;
        const float4 p =
            at < Near::room ? make_float4(near.x[at], near.y[at], near.r[at], 0) : __ldcg(band + at);
        const float moved = fmaf(-change.a, p.x, fmaf(-change.b, p.y, p.z - change.c));
        sums.add(fabsf(moved) <= change.reach, p.x, p.y, p.z, base);
      }
      wide.add(sums);
    }
    next = take_sums_alone(r, refiner, sum_in_warp(wide), core, max_refits);
  } while (next == Refiner::Next::again);
  const Refined& end = refiner.result();
  const bool ended = next == Refiner::Next::done,
             wider = ended && end.spans && stage == 0 && task.refit_threshold > task.threshold;
  __syncthreads();  // the first thread begins to change what the others look at
  if (threadIdx.x == 0) {
    if (ended) r.fit.refits += static_cast<std::uint32_t>(end.refits);
    if (wider) {
      const Plane start = end.plane;
      refiner = Refiner(start, task.refit_threshold, region_of(b, task));
      work->stage = 1;
    }
    if (wider || !ended) {
      refiner.rebase();
      work->fit = r.fit;
    }
  }
  if (wider || !ended) {
    begin_accumulate(work,
                     *reinterpret_cast<const Refiner*>(reinterpret_cast<Search*>(shared.search)->refiners));
    return true;
  }
  if (threadIdx.x < 32 && end.spans) report_by_warp(end, &r.fit);
  finish(b, plane, r.fit, false);
  return false;
}

template <class Source, bool Exact>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    fit_batch(const DATUM_GRID_CONSTANT Batch b, const DATUM_GRID_CONSTANT Source source) {
  extern __shared__ __align__(16) unsigned char memory[];
  Shared& s = *reinterpret_cast<Shared*>(memory);
  Staging& staging = *reinterpret_cast<Staging*>(s.staging);
  Refining& refining = *reinterpret_cast<Refining*>(s.refining);
  const unsigned long long deadline = now_ns() + b.patience_ns;
  for (int k = threadIdx.x; k < b.max_hypotheses; k += block_threads) s.needed[k] = __ldg(b.needed + k);
  // Another warp than the one that counts finished tiles finds the next one.
  const bool dispatcher = threadIdx.x == 32;
  unsigned long long next = no_task, first = 0;
  if (dispatcher) {
    first = atomicAdd(&b.queue->first_next, 1ull);
    if (first < b.first_count) next = b.first_tasks[first];
  }
  for (;;) {
    __syncthreads();
    if (dispatcher) {
      if (next == no_task) next = take_queued(b, deadline);
      s.task = next;
      staging.count = 0;
      if (next != no_task && first < b.first_count)
        first = atomicAdd(&b.queue->first_next, 1ull);  // known when the tile is done
    }
    __syncthreads();
    if (s.task == no_task) break;
    const std::uint32_t plane = static_cast<std::uint32_t>(s.task >> tile_bits);
    const std::uint32_t tile = static_cast<std::uint32_t>(s.task) & ((1u << tile_bits) - 1);
    const PlaneTask& task = b.tasks[plane];
    PlaneWork* const work = b.work + plane;
    const std::uint32_t begin = tile * b.tile_quads;
    const std::uint32_t end = task.quads - begin < b.tile_quads ? task.quads : begin + b.tile_quads;
    bool here_first = true;
    for (bool here = true; here;) {
      const Phase phase = static_cast<Phase>(__ldcg(reinterpret_cast<const std::uint32_t*>(&work->phase)));
      if (phase == Phase::select) {
        select_tile(source, task, work, b.draws, select_limit(task, __ldcg(&work->key_limit)), begin, end,
                    staging);
      } else if (phase == Phase::accumulate) {
        const Base base = work->refiner.base();
        accumulate_tile(source, task, work, b.band + task.band, begin, end, base, staging,
                        refining.partial[0]);
      } else if constexpr (Exact) {
        const int counted = static_cast<int>(__ldcg(&work->counted));
        for (int k = threadIdx.x; k < (counted + 3) / 4 * 4; k += block_threads)
          s.hypotheses[k] = __ldcg(&work->hypotheses[k]);
        __syncthreads();
        count_tile(source, task, work, begin, end, s.hypotheses, counted, s.warp_counts);
      }
      if (dispatcher && here_first) next = first < b.first_count ? b.first_tasks[first] : no_task;
      here_first = false;
      // What this block added must be seen by the block that finds the pass complete.
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) {
        s.last = atomicAdd(&work->tiles_done, 1u) == task.tiles - 1;
        __threadfence();
      }
      __syncthreads();
      here = false;
      if (!s.last) break;
      if (dispatcher && next != no_task) {  // somebody else has time for it
        put(b, atomicAdd(&b.queue->tail, 1ull), next, deadline);
        next = no_task;
      }
      bool more;
      if (phase == Phase::select) {
        more = after_select<Exact>(b, task, plane, s);
      } else if (phase == Phase::accumulate) {
        more = after_accumulate(b, task, plane, s);
      } else {
        more = after_count(b, task, plane, s);
      }
      if (!more) break;
      if (task.tiles == 1) {
        __syncthreads();
        if (threadIdx.x == 0) staging.count = 0;
        __threadfence();
        __syncthreads();
        here = true;
      } else {
        push(b, plane, task.tiles, s, deadline);
      }
    }
  }
  // The last block leaves the queue as the next batch wants to find it.
  if (threadIdx.x == 0 && atomicAdd(&b.queue->blocks_done, 1u) == gridDim.x - 1) {
    b.queue->head = b.queue->tail = b.queue->first_next = 0;
    b.queue->planes_done = b.queue->blocks_done = 0;
  }
}

}  // namespace datum::cuda
