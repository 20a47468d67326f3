// The queue of tiles, and a block's shared memory.
//
// Every block holds one ticket: the next slot of the queue is its own. While nothing lies there it takes first tiles, and
// waits only when these have run out. No block waits for one that has not started, so any grid size makes progress.
#pragma once

#include "gpu/plane_fit/plane_fit_polish.cuh"

// A parameter that functions may refer to without a copy on every thread's stack.
#if CUDART_VERSION >= 11070
#define DATUM_GRID_CONSTANT __grid_constant__
#else
#define DATUM_GRID_CONSTANT
#endif

namespace datum::cuda {

struct Shared {
  union {
    alignas(16) unsigned char staging[sizeof(Staging)];
    alignas(16) unsigned char search[sizeof(Search)];
  };
  alignas(16) unsigned char refining[sizeof(Refining)];
  std::uint32_t warp_counts[block_warps][max_counted];
  float4 hypotheses[max_counted];
  unsigned long long task, place;
  bool last, more;
};

// A task is a plane and a tile of it, 20 bits each. In its slot it carries the turn of the ring of slots above them: a
// block that is busy may leave its task lie until another block waits for the next turn of the same slot.
constexpr unsigned long long no_task = ~0ull, task_mask = (1ull << 40) - 1;
constexpr int tile_bits = 20;

__device__ inline unsigned long long turn_of(const Batch& b, unsigned long long place) {
  return (place >> __popc(b.slot_mask)) + 1;
}

__device__ inline unsigned long long now_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

__device__ inline FitRegion region_of(const Batch& batch, const PlaneTask& task) {
  return FitRegion{task.half_x, task.half_y, batch.perpendicular};
}

/// Generous at first: as if a quarter of the points had no height.
__device__ inline std::uint32_t select_limit(const PlaneTask& task, std::uint32_t of_work) {
  return of_work ? of_work : plane_math::key_limit(task.size - task.size / 4, plane_math::subset_target);
}

/// First thread only: the next tile, or no_task when all planes are done or the batch took too long.
__device__ __noinline__ unsigned long long next_task(const Batch& b, unsigned long long* ticket,
                                                     bool* first_left, unsigned long long deadline) {
  for (;;) {
    unsigned long long* slot = b.slots + (*ticket & b.slot_mask);
    const unsigned long long task = *reinterpret_cast<volatile unsigned long long*>(slot);
    if (task >> 40 == turn_of(b, *ticket)) {
      __threadfence();
      *reinterpret_cast<volatile unsigned long long*>(slot) = 0;
      *ticket = atomicAdd(&b.queue->head, 1ull);
      return task & task_mask;
    }
    if (*first_left) {
      const unsigned long long n = atomicAdd(&b.queue->first_next, 1ull);
      if (n < b.first_count) return b.first_tasks[n];
      *first_left = false;
      continue;
    }
    if (*reinterpret_cast<volatile unsigned int*>(&b.queue->planes_done) >= b.planes) return no_task;
    if (*reinterpret_cast<volatile unsigned int*>(&b.queue->abandoned)) return no_task;
    if (now_ns() > deadline) {
      atomicExch(&b.queue->abandoned, 1u);
      return no_task;
    }
    __nanosleep(100);  // leaves the queue to those that work
  }
}

/// All threads: queues the tiles of the plane's next pass. Everything about it was written before.
__device__ inline void push(const Batch& b, std::uint32_t plane, std::uint32_t tiles, Shared& s,
                            unsigned long long deadline) {
  if (threadIdx.x == 0) s.place = atomicAdd(&b.queue->tail, static_cast<unsigned long long>(tiles));
  __syncthreads();
  for (std::uint32_t t = threadIdx.x; t < tiles; t += block_threads) {
    const unsigned long long place = s.place + t;
    unsigned long long* slot = b.slots + (place & b.slot_mask);
    while (*reinterpret_cast<volatile unsigned long long*>(slot) != 0 && now_ns() < deadline) {
    }
    __threadfence();
    atomicExch(slot, turn_of(b, place) << 40 | static_cast<unsigned long long>(plane) << tile_bits | t);
  }
}

}  // namespace datum::cuda
