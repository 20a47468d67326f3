// The two kernels that fit a batch (DESIGN.md draws their phases).
//
// search_batch searches the planes that are sampled by index, one block for each. fit_batch begins beside it: its
// blocks pass over tiles of the planes, first those of each plane's first pass, for whose search they wait. The block
// that finishes the last tile of a pass decides what follows and enqueues the tiles of the next pass. So a plane that
// needs another pass delays no other plane, and no pass costs a launch.
#pragma once

#include "gpu/core/cuda_launch.cuh"
#include "gpu/plane_fit/fit_launch.cuh"
#include "gpu/plane_fit/phases.cuh"

namespace datum::cuda {

/// The tile that a block passes over: quads [begin, end) of `plane`.
struct Tile {
  std::uint32_t plane, number, begin, end;
};
__device__ inline Tile tile_of(const Batch& b, unsigned long long task_number) {
  const auto plane = static_cast<std::uint32_t>(task_number >> part_bits),
             number = static_cast<std::uint32_t>(task_number) & ((1u << part_bits) - 1);
  const std::uint32_t begin = number * b.tile_quads, quads = b.tasks[plane].quads;
  return Tile{plane, number, begin, quads - begin < b.tile_quads ? quads : begin + b.tile_quads};
}

/// All threads pass over a tile.
template <class Mode, class Source>
__device__ __forceinline__ void run_pass(const Batch& b, const Source& source, const PlaneTask& task,
                                         PlaneWork* work, const Tile& tile, Phase phase, bool scanned,
                                         BlockMemory& s) {
  const Base base_of_plane = work->refiner.base();  // loaded together with the phase, not after it
  if (phase == Phase::first || phase == Phase::select) {
    select_tile(source, task, work, b.samples, select_limit(task, __ldcg(&work->key_limit)), tile.begin,
                tile.end, *reinterpret_cast<Staging*>(s.staging));
  } else if (phase == Phase::accumulate || phase == Phase::scan) {
    const Base base = phase == Phase::scan ? scan_only_base() : base_of_plane;
    float4* const list = boundary_of(b, task, tile.begin);
    if (scanned) {
      accumulate_tile<false>(source, task, work, list, tile.begin, tile.end, base, s.tile_sums);
    } else {
      accumulate_tile<true>(source, task, work, list, tile.begin, tile.end, base, s.tile_sums);
    }
  } else if constexpr (Mode::counts_all_points) {
    Mode::count_pass(source, task, work, scanned, tile.begin, tile.end, s);
  }
}

/// The first warp reports the end of a tile to its plane; s.last: it was the last one of the pass.
__device__ __forceinline__ void report_tile(const Batch& b, const PlaneTask& task, PlaneWork* work,
                                            std::uint32_t tile, Phase phase, bool scanned, BlockMemory& s) {
  if (phase == Phase::accumulate || phase == Phase::scan) {
    std::uint32_t* const boundary_count = b.boundary_counts + task.first_tile + tile;
    scanned ? add_tile_sums<false>(s.tile_sums, work, boundary_count)
            : add_tile_sums<true>(s.tile_sums, work, boundary_count);
    __syncwarp();
  }
  // The block that finds the pass complete must see what this block has added.
  if (threadIdx.x == 0) {
    __threadfence();
    s.last = atomicAdd(&work->tiles_done, 1u) == task.tiles - 1;
    if (s.last) __threadfence();
  }
}

/// What follows a plane's pass, in the block that finished its last tile: the phase of the next pass.
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

/// One thread prepares the shared memory of the next pass.
__device__ inline void begin_pass(BlockMemory& s) {
  reinterpret_cast<Staging*>(s.staging)->count = s.tile_sums.boundary_count = 0;
}

template <class Mode, class Source>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    fit_batch(const DATUM_GRID_CONSTANT Batch b, const DATUM_GRID_CONSTANT Source source) {
  extern __shared__ __align__(16) unsigned char memory[];
  BlockMemory& s = *reinterpret_cast<BlockMemory*>(memory);
  const unsigned long long deadline = now_ns() + b.schedule.timeout_ns;
  // The second warp finds the next task while the first one reports the tile in hand.
  const bool dispatches = threadIdx.x == 32;
  Dispatcher& dispatcher = *reinterpret_cast<Dispatcher*>(s.dispatcher);
  if (dispatches) new (s.dispatcher) Dispatcher(b.schedule, deadline);
  for (;;) {
    __syncthreads();
    if (dispatches) {
      s.task = dispatcher.next_task();
      begin_pass(s);
    }
    __syncthreads();
    if (s.task == no_task) break;
    const Tile tile = tile_of(b, s.task);
    const PlaneTask& task = b.tasks[tile.plane];
    PlaneWork* const work = b.work + tile.plane;
    if (task.by_index) {
      if (dispatches) dispatcher.wait_until_set(reinterpret_cast<const std::uint32_t&>(work->phase));
      __syncthreads();
    }
    Phase phase = static_cast<Phase>(__ldcg(reinterpret_cast<const std::uint32_t*>(&work->phase)));
    if (task.by_index && phase == Phase::first) continue;  // the batch has timed out
    for (;;) {
      const bool scanned = __ldcg(&work->scanned) != 0;
      run_pass<Mode>(b, source, task, work, tile, phase, scanned, s);
      __syncthreads();
      if (threadIdx.x < 32) {
        report_tile(b, task, work, tile.number, phase, scanned, s);
      } else if (dispatches) {
        dispatcher.look_ahead();
      }
      __syncthreads();
      if (!s.last) break;
      phase = next_phase<Mode>(b, task, tile.plane, phase, s);
      if (phase == Phase::done) break;
      if (threadIdx.x == 0) work->phase = phase;
      if (task.tiles > 1) {
        enqueue_parts(b.schedule, tile.plane, task.tiles, s.place, deadline, block_threads);
        break;
      }
      // The next pass over a plane of one tile is this block's own.
      __syncthreads();
      if (threadIdx.x == 0) begin_pass(s);
      __threadfence();
      __syncthreads();
    }
  }
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");  // the end of this kernel is that of the searches, too
#endif
  // The last block resets the queue for the next launch.
  if (threadIdx.x == 0 && atomicAdd(&b.schedule.queue->blocks_done, 1u) == gridDim.x - 1) {
    b.schedule.queue->head = b.schedule.queue->tail = b.schedule.queue->first_next = 0;
    b.schedule.queue->jobs_done = b.schedule.queue->blocks_done = 0;
  }
}

/// Samples and searches the planes that are sampled by index, one block for each. It precedes fit_batch, which may
/// begin (programmatic dependent launch) once all these blocks have begun; none of them waits for anything.
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
