// The queue of tiles, and a block's shared memory.
//
// First tiles come before queued ones, so that every plane's search begins early. A block that has nothing else to do
// takes a ticket: the queue's slot of that number is its own, and it waits there. One that works holds none, and a first
// tile that it took ahead goes back into the queue before it begins what only the last block of a pass does. No block
// waits for one that has not started, so any grid size makes progress.
#pragma once

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/plane_fit/plane_fit_polish.cuh"

namespace datum::cuda {

struct Shared {
  union {
    alignas(16) unsigned char staging[sizeof(Staging)];
    alignas(16) unsigned char search[sizeof(Search)];
  };
  alignas(16) unsigned char refining[sizeof(Refining)];
  std::uint32_t warp_counts[block_warps][max_counted];
  float4 hypotheses[max_counted];
  double needed[max_tried];  // the batch's
  unsigned long long task, place;
  bool last;
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

/// Keys up to which points are drawn.
__device__ inline std::uint32_t select_limit(const PlaneTask& task, std::uint32_t of_work) {
  return of_work ? of_work : task.first_limit;
}

/// Dispatcher only: a tile that was put into the queue, or no_task when all planes are done or the batch took too long.
__device__ __noinline__ unsigned long long take_queued(const Batch& b, unsigned long long deadline) {
  const unsigned long long place = atomicAdd(&b.queue->head, 1ull);
  unsigned long long* slot = b.slots + (place & b.slot_mask);
  for (;;) {
    const unsigned long long task = *reinterpret_cast<volatile unsigned long long*>(slot);
    if (task >> 40 == turn_of(b, place)) {
      __threadfence();
      *reinterpret_cast<volatile unsigned long long*>(slot) = 0;
      return task & task_mask;
    }
    if (*reinterpret_cast<volatile unsigned int*>(&b.queue->planes_done) >= b.planes) return no_task;
    if (*reinterpret_cast<volatile unsigned int*>(&b.queue->abandoned)) return no_task;
    if (now_ns() > deadline) {
      atomicExch(&b.queue->abandoned, 1u);
      return no_task;
    }
    __nanosleep(50);  // leaves the queue to those that work
  }
}

/// What a tile's taker needs to see was written and fenced before.
__device__ inline void put(const Batch& b, unsigned long long place, unsigned long long task,
                           unsigned long long deadline) {
  unsigned long long* slot = b.slots + (place & b.slot_mask);
  // There is room for all tiles twice, so that whoever has the last turn of this slot has long taken it.
  while (*reinterpret_cast<volatile unsigned long long*>(slot) != 0 && now_ns() < deadline) {
  }
  *reinterpret_cast<volatile unsigned long long*>(slot) = turn_of(b, place) << 40 | task;
}

/// All threads: queues the tiles of the plane's next pass after everything about it was written.
__device__ inline void push(const Batch& b, std::uint32_t plane, std::uint32_t tiles, Shared& s,
                            unsigned long long deadline) {
  if (threadIdx.x == 0) s.place = atomicAdd(&b.queue->tail, static_cast<unsigned long long>(tiles));
  __threadfence();
  __syncthreads();
  for (std::uint32_t t = threadIdx.x; t < tiles; t += block_threads)
    put(b, s.place + t, static_cast<unsigned long long>(plane) << tile_bits | t, deadline);
}

}  // namespace datum::cuda
