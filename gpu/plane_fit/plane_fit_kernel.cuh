// One kernel fits a whole batch. Blocks take tiles from a queue; whoever finishes the last tile of a plane's pass decides
// what follows and puts the tiles of the next pass into the queue. So a plane that needs one pass more delays nobody,
// searching overlaps with reading, and no pass costs a launch.
#pragma once

#include "gpu/plane_fit/plane_fit_after.cuh"

namespace datum::cuda {

/// All threads: the next pass over a plane of one tile is this block's own.
__device__ inline void begin_here(Staging& staging) {
  __syncthreads();
  if (threadIdx.x == 0) staging.count = 0;
  __threadfence();
  __syncthreads();
}

template <class Source, bool Exact>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    fit_batch(const DATUM_GRID_CONSTANT Batch b, const DATUM_GRID_CONSTANT Source source) {
  extern __shared__ __align__(16) unsigned char memory[];
  Shared& s = *reinterpret_cast<Shared*>(memory);
  Staging& staging = *reinterpret_cast<Staging*>(s.staging);
  Refining& refining = *reinterpret_cast<Refining*>(s.refining);
  const unsigned long long deadline = now_ns() + b.patience_ns;
  // Another warp than the one that counts finished tiles finds the next task.
  const bool dispatches = threadIdx.x == 32;
  Dispatcher& dispatcher = *reinterpret_cast<Dispatcher*>(s.dispatcher);
  if (dispatches) new (s.dispatcher) Dispatcher(b, deadline);
  for (;;) {
    __syncthreads();
    if (dispatches) {
      s.task = dispatcher.take();
      staging.count = 0;
    }
    __syncthreads();
    if (s.task == no_task) break;
    const std::uint32_t plane = static_cast<std::uint32_t>(s.task >> tile_bits);
    const PlaneTask& task = b.tasks[plane];
    PlaneWork* const work = b.work + plane;
    std::uint32_t tile = static_cast<std::uint32_t>(s.task) & ((1u << tile_bits) - 1);
    Phase phase = Phase::first;
    if (tile == search_tile) {
      phase = draw<Exact>(b, source, task, plane, s);
      if (threadIdx.x == 0) work->phase = phase;
      if (task.tiles > 1) {
        push(b, plane, task.tiles, s, deadline);
        continue;
      }
      begin_here(staging);
      tile = 0;
    } else {
      phase = static_cast<Phase>(__ldcg(reinterpret_cast<const std::uint32_t*>(&work->phase)));
    }
    const std::uint32_t begin = tile * b.tile_quads;
    const std::uint32_t end = task.quads - begin < b.tile_quads ? task.quads : begin + b.tile_quads;
    for (;;) {
      const bool surveyed = __ldcg(&work->surveyed) != 0;
      const Base of_plane = work->refiner.base();  // asked for with the phase, not after it
      if (phase == Phase::first || phase == Phase::select) {
        select_tile(source, task, work, b.draws, select_limit(task, __ldcg(&work->key_limit)), begin, end,
                    staging);
      } else if (phase == Phase::accumulate || phase == Phase::survey) {
        const Base base = phase == Phase::survey ? nothing_inside() : of_plane;
        if (surveyed) {
          accumulate_tile<false>(source, task, work, b.band + task.band, begin, end, base, staging,
                                 refining.partial);
        } else {
          accumulate_tile<true>(source, task, work, b.band + task.band, begin, end, base, staging,
                                refining.partial);
        }
      } else if constexpr (Exact) {
        const int counted = static_cast<int>(__ldcg(&work->counted));
        for (int k = threadIdx.x; k < (counted + 3) / 4 * 4; k += block_threads)
          s.hypotheses[k] = __ldcg(&work->hypotheses[k]);
        __syncthreads();
        if (surveyed) {
          count_tile<false>(source, task, work, begin, end, s.hypotheses, counted, s.warp_counts);
        } else {
          count_tile<true>(source, task, work, begin, end, s.hypotheses, counted, s.warp_counts);
        }
      }
      // What this block added must be seen by the block that finds the pass complete.
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) {
        s.last = atomicAdd(&work->tiles_done, 1u) == task.tiles - 1;
        __threadfence();
      }
      __syncthreads();
      if (!s.last) break;
      if (dispatches) dispatcher.give_back();
      phase = phase == Phase::first || phase == Phase::select ? after_select<Exact>(b, task, plane, s)
              : phase == Phase::survey                        ? after_survey(b, plane)
              : phase == Phase::accumulate                    ? after_accumulate(b, task, plane, s)
                                                              : after_count(b, task, plane, s);
      if (phase == Phase::done) break;
      if (threadIdx.x == 0) work->phase = phase;
      if (task.tiles > 1) {
        push(b, plane, task.tiles, s, deadline);
        break;
      }
      begin_here(staging);
    }
  }
  // The last block leaves the queue as the next batch wants to find it.
  if (threadIdx.x == 0 && atomicAdd(&b.queue->blocks_done, 1u) == gridDim.x - 1) {
    b.queue->head = b.queue->tail = b.queue->first_next = 0;
    b.queue->search_next = b.queue->planes_done = b.queue->blocks_done = 0;
  }
}

}  // namespace datum::cuda
