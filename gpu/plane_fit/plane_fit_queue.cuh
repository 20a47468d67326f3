// The queue of tiles, and a block's shared memory.
//
// First tiles come before queued ones; a block takes its next one while it tells the end of the one in hand. A block that has
// nothing else to do takes a ticket: the queue's slot of that number is its own, and it waits there. One that works holds
// none. No block waits for one that has not started, so any grid size makes progress.
#pragma once

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/plane_fit/plane_fit_polish.cuh"

namespace datum::cuda {

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

/// What a tile's taker needs to see was written and fenced before.
__device__ inline void put(const Batch& b, unsigned long long place, unsigned long long task,
                           unsigned long long deadline) {
  unsigned long long* slot = b.slots + (place & b.slot_mask);
  // There is room for all tiles twice, so that whoever has the last turn of this slot has long taken it.
  while (*reinterpret_cast<volatile unsigned long long*>(slot) != 0 && now_ns() < deadline) {
  }
  *reinterpret_cast<volatile unsigned long long*>(slot) = turn_of(b, place) << 40 | task;
}

/// One thread of a block finds the next task; in shared memory, so that no other thread keeps it in registers.
class Dispatcher {
 public:
  __device__ Dispatcher(const Batch& b, unsigned long long deadline) : b_(b), deadline_(deadline) {}

  /// The next task, or no_task when all planes are done or the batch took too long.
  __device__ unsigned long long take() {
    look_ahead();
    const unsigned long long task = next_;
    next_ = no_task;
    return task == no_task ? wait() : task;
  }

  /// Until the plane's search has ended, or the batch took too long.
  __device__ void wait_for_search(const PlaneWork* work) {
    while (now(work->phase) == Phase::first && !now(b_.queue->abandoned)) {
      if (now_ns() > deadline_) atomicExch(&b_.queue->abandoned, 1u);
      __nanosleep(50);
    }
    __threadfence();
  }

  /// Takes a first tile for later, while others tell the end of the one in hand.
  __device__ void look_ahead() {
    if (!first_left_ || next_ != no_task) return;
    const unsigned long long i = atomicAdd(&b_.queue->first_next, 1ull);
    first_left_ = i < b_.first_count;
    if (first_left_) next_ = b_.first_tasks[i];
  }

 private:
  template <class T>
  __device__ static T now(const T& shared_with_others) {
    return *const_cast<const volatile T*>(&shared_with_others);
  }
  /// A tile that was put into the queue.
  __device__ unsigned long long wait() {
    const unsigned long long place = atomicAdd(&b_.queue->head, 1ull);
    unsigned long long& slot = b_.slots[place & b_.slot_mask];
    for (unsigned int looks = 1;; ++looks) {
      const unsigned long long task = now(slot);
      if (task >> 40 == turn_of(b_, place)) {
        __threadfence();
        *const_cast<volatile unsigned long long*>(&slot) = 0;
        return task & task_mask;
      }
      __nanosleep(50);  // leaves the queue to those that work
      if (looks % 4 != 0) continue;
      if (now(b_.queue->planes_done) >= b_.planes || now(b_.queue->abandoned)) return no_task;
      if (now_ns() > deadline_) {
        atomicExch(&b_.queue->abandoned, 1u);
        return no_task;
      }
    }
  }

  const Batch& b_;
  unsigned long long deadline_, next_ = no_task;
  bool first_left_ = true;
};

struct Shared {
  union {
    alignas(16) unsigned char staging[sizeof(Staging)];
    alignas(16) unsigned char search[sizeof(Search)];
  };
  alignas(16) unsigned char refining[sizeof(Refining)];
  TileSums tile_sums;
  std::uint32_t warp_counts[block_warps][max_counted];
  float4 hypotheses[max_counted];
  unsigned long long task, place;
  alignas(16) unsigned char dispatcher[sizeof(Dispatcher)];
  bool last;
};

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
