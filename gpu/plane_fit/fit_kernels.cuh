// Two kernels fit a batch. The first searches the planes whose points are sampled by index, a block each. The other begins
// beside it: its blocks take tiles of the planes, first those of each plane's first pass, for whose search they wait, then
// from a queue; whoever finishes the last tile of a plane's pass decides what follows and puts the tiles of the next pass
// into the queue. So a plane that needs one pass more delays nobody, and no pass costs a launch.
#pragma once

#include "gpu/core/cuda_launch.cuh"
#include "gpu/plane_fit/fit_launch.cuh"
#include "gpu/plane_fit/phases.cuh"

namespace datum::cuda {

/// All threads: the next pass over a plane of one tile is this block's own.
__device__ inline void begin_here(BlockMemory& s, Staging& staging) {
  __syncthreads();
  if (threadIdx.x == 0) staging.count = s.tile_sums.boundary_count = 0;
  __threadfence();
  __syncthreads();
}

/// What follows a plane's pass, in the block that finished the last tile of it.
template <class Mode>
__device__ __forceinline__ Phase next_phase(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                            Phase phase, BlockMemory& s) {
  if (phase == Phase::first || phase == Phase::select) return after_select<Mode>(b, task, plane, s);
  if (phase == Phase::scan) return after_scan(b, plane);
  if constexpr (Mode::counts_all_points) {
    if (phase == Phase::count) return Mode::after_count(b, task, plane, s);
  }
  return after_accumulate(b, task, plane, s);
}

template <class Mode, class Source>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    fit_batch(const DATUM_GRID_CONSTANT Batch b, const DATUM_GRID_CONSTANT Source source) {
  extern __shared__ __align__(16) unsigned char memory[];
  BlockMemory& s = *reinterpret_cast<BlockMemory*>(memory);
  Staging& staging = *reinterpret_cast<Staging*>(s.staging);
  const unsigned long long deadline = now_ns() + b.schedule.timeout_ns;
  // Another warp than the one that counts finished tiles finds the next task.
  const bool dispatches = threadIdx.x == 32;
  Dispatcher& dispatcher = *reinterpret_cast<Dispatcher*>(s.dispatcher);
  if (dispatches) new (s.dispatcher) Dispatcher(b.schedule, deadline);
  for (;;) {
    __syncthreads();
    if (dispatches) {
      s.task = dispatcher.next_task();
      staging.count = s.tile_sums.boundary_count = 0;
    }
    __syncthreads();
    if (s.task == no_task) break;
    const std::uint32_t plane = static_cast<std::uint32_t>(s.task >> part_bits);
    const PlaneTask& task = b.tasks[plane];
    PlaneWork* const work = b.work + plane;
    const std::uint32_t tile = static_cast<std::uint32_t>(s.task) & ((1u << part_bits) - 1);
    if (task.by_index) {
      if (dispatches) dispatcher.wait_until_set(reinterpret_cast<const std::uint32_t&>(work->phase));
      __syncthreads();
    }
    Phase phase = static_cast<Phase>(__ldcg(reinterpret_cast<const std::uint32_t*>(&work->phase)));
    if (task.by_index && phase == Phase::first) continue;  // the batch took too long
    const std::uint32_t begin = tile * b.tile_quads;
    const std::uint32_t end = task.quads - begin < b.tile_quads ? task.quads : begin + b.tile_quads;
    for (;;) {
      const bool scanned = __ldcg(&work->scanned) != 0;
      const Base of_plane = work->refiner.base();  // asked for with the phase, not after it
      if (phase == Phase::first || phase == Phase::select) {
        select_tile(source, task, work, b.samples, select_limit(task, __ldcg(&work->key_limit)), begin, end,
                    staging);
      } else if (phase == Phase::accumulate || phase == Phase::scan) {
        const Base base = phase == Phase::scan ? nothing_inside() : of_plane;
        float4* const list = boundary_of(b, task, begin);
        if (scanned) {
          accumulate_tile<false>(source, task, work, list, begin, end, base, s.tile_sums);
        } else {
          accumulate_tile<true>(source, task, work, list, begin, end, base, s.tile_sums);
        }
      } else if constexpr (Mode::counts_all_points) {
        Mode::count_pass(source, task, work, scanned, begin, end, s);
      }
      __syncthreads();
      if (threadIdx.x < 32) {
        if (phase == Phase::accumulate || phase == Phase::scan) {
          std::uint32_t* const boundary_count = b.boundary_counts + task.first_tile + tile;
          scanned ? add_tile_sums<false>(s.tile_sums, work, boundary_count)
                  : add_tile_sums<true>(s.tile_sums, work, boundary_count);
          __syncwarp();
        }
        // What this block added must be seen by the block that finds the pass complete.
        if (threadIdx.x == 0) {
          __threadfence();
          s.last = atomicAdd(&work->tiles_done, 1u) == task.tiles - 1;
          if (s.last) __threadfence();
        }
      } else if (dispatches) {
        dispatcher.look_ahead();
      }
      __syncthreads();
      if (!s.last) break;
      phase = next_phase<Mode>(b, task, plane, phase, s);
      if (phase == Phase::done) break;
      if (threadIdx.x == 0) work->phase = phase;
      if (task.tiles > 1) {
        enqueue_parts(b.schedule, plane, task.tiles, s.place, deadline, block_threads);
        break;
      }
      begin_here(s, staging);
    }
  }
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::
                   : "memory");  // so that this kernel's end is that of the searches, too
#endif
  // The last block leaves the queue as the next batch wants to find it.
  if (threadIdx.x == 0 && atomicAdd(&b.schedule.queue->blocks_done, 1u) == gridDim.x - 1) {
    b.schedule.queue->head = b.schedule.queue->tail = b.schedule.queue->first_next = 0;
    b.schedule.queue->jobs_done = b.schedule.queue->blocks_done = 0;
  }
}

/// Before it, and beside it where the device can: samples the points of the planes that are sampled by index and searches
/// these, one block each. All of them have begun when the other kernel begins, and wait for nothing.
template <class Mode, class Source>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    search_batch(const DATUM_GRID_CONSTANT Batch b, const DATUM_GRID_CONSTANT Source source) {
  extern __shared__ __align__(16) unsigned char memory[];
  const std::uint32_t plane = b.searches[blockIdx.x];
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  const Phase phase =
      sample_and_search<Mode>(b, source, b.tasks[plane], plane, *reinterpret_cast<BlockMemory*>(memory));
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    *reinterpret_cast<volatile std::uint32_t*>(&b.work[plane].phase) = static_cast<std::uint32_t>(phase);
}

/// Launches both kernels of a batch.
template <class Mode, class Source>
void launch_kernels(const FitLaunch& launch, const Batch& batch, const Source& source) {
  static_assert(sizeof(BlockMemory) <= orin_shared_bytes);
  const auto search = search_batch<Mode, Source>, fit = fit_batch<Mode, Source>;
  for (const auto kernel : {search, fit})
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(sizeof(BlockMemory))),
          "shared memory");
  if (launch.searches == 0) {
    fit<<<launch.blocks, block_threads, sizeof(BlockMemory), launch.stream>>>(batch, source);
  } else {
    search<<<launch.searches, block_threads, sizeof(BlockMemory), launch.stream>>>(batch, source);
    check(cudaGetLastError(), "launch of the search");
    launch_early(fit, launch.blocks, block_threads, sizeof(BlockMemory), launch.stream,
                 "launch of the plane fit", batch, source);
  }
  check(cudaGetLastError(), "launch of the plane fit");
}

}  // namespace datum::cuda
