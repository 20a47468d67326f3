// One kernel fits a whole batch. Blocks take tiles from a queue; whoever finishes the last tile of a plane's pass decides
// what follows and puts the tiles of the next pass into the queue. So a plane that needs one pass more delays nobody,
// searching overlaps with reading, and no pass costs a launch.
#pragma once

#include "gpu/plane_fit/plane_fit_after.cuh"

namespace datum::cuda {

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
      const bool drawing = phase == Phase::first && task.by_number != 0;
      const bool surveyed = __ldcg(&work->surveyed) != 0;
      if (drawing) {
        // nothing is read tile by tile
      } else if (phase == Phase::first || phase == Phase::select) {
        select_tile(source, task, work, b.draws, select_limit(task, __ldcg(&work->key_limit)), begin, end,
                    staging);
      } else if (phase == Phase::accumulate || phase == Phase::survey) {
        const Base base = phase == Phase::survey ? nothing_inside() : work->refiner.base();
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
      if (dispatcher && here_first) next = first < b.first_count ? b.first_tasks[first] : no_task;
      here_first = false;
      if (!drawing) {
        // What this block added must be seen by the block that finds the pass complete.
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
          s.last = atomicAdd(&work->tiles_done, 1u) == task.tiles - 1;
          __threadfence();
        }
        __syncthreads();
        if (!s.last) break;
      }
      here = false;
      if (dispatcher && next != no_task) {  // somebody else has time for it
        put(b, atomicAdd(&b.queue->tail, 1ull), next, deadline);
        next = no_task;
      }
      bool more;
      if (drawing) {
        more = draw<Exact>(b, source, task, plane, s);
      } else if (phase == Phase::first || phase == Phase::select) {
        more = after_select<Exact>(b, task, plane, s);
      } else if (phase == Phase::survey) {
        more = after_survey(b, plane);
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
