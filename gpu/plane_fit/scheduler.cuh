// The queue of tiles, and a block's shared memory.
//
// First tiles come before queued ones; a block takes its next one while it tells the end of the one in hand. A block that has
// nothing else to do takes a ticket: the queue's slot of that number is its own, and it waits there. One that works holds
// none. No block waits for one that has not started, so any grid size makes progress.
#pragma once

#include <cstdint>

#include "gpu/core/cuda_dialect.cuh"

namespace datum::cuda {

/// Each on its own line of the cache: blocks that wait read some of them all the time.
struct Queue {
  alignas(128) unsigned long long head;
  alignas(128) unsigned long long tail;
  alignas(128) unsigned long long first_next;
  alignas(128) unsigned int jobs_done;
  unsigned int blocks_done, timed_out;
};

// A task is a plane and a tile of it, 20 bits each. In its slot it carries the turn of the ring of slots above them: a
// block that is busy may leave its task lie until another block waits for the next turn of the same slot.
constexpr unsigned long long no_task = ~0ull, task_mask = (1ull << 40) - 1;
constexpr int part_bits = 20;

/// What a block needs to find its next task, and to queue others.
struct Schedule {
  Queue* queue;
  unsigned long long* slots;
  unsigned int slot_mask;
  const unsigned long long* first_tasks;  // job << part_bits | part
  unsigned int first_count, jobs;
  unsigned long long timeout_ns;
};

__device__ inline unsigned long long turn_of(const Schedule& b, unsigned long long place) {
  return (place >> __popc(b.slot_mask)) + 1;
}

__device__ inline unsigned long long now_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

/// What a tile's taker needs to see was written and fenced before.
__device__ inline void enqueue(const Schedule& b, unsigned long long place, unsigned long long task,
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
  __device__ Dispatcher(const Schedule& b, unsigned long long deadline) : b_(b), deadline_(deadline) {}

  /// The next task, or no_task when all planes are done or the batch took too long.
  __device__ unsigned long long next_task() {
    look_ahead();
    const unsigned long long task = next_;
    next_ = no_task;
    return task == no_task ? wait() : task;
  }

  /// Until another kernel has set `word`, or the batch took too long.
  __device__ void wait_until_set(const std::uint32_t& word) {
    while (now(word) == 0 && !now(b_.queue->timed_out)) {
      if (now_ns() > deadline_) atomicExch(&b_.queue->timed_out, 1u);
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
      if (now(b_.queue->jobs_done) >= b_.jobs || now(b_.queue->timed_out)) return no_task;
      if (now_ns() > deadline_) {
        atomicExch(&b_.queue->timed_out, 1u);
        return no_task;
      }
    }
  }

  const Schedule& b_;
  unsigned long long deadline_, next_ = no_task;
  bool first_left_ = true;
};

/// All threads: queues the parts of a job's next pass after everything about it was written.
__device__ inline void enqueue_parts(const Schedule& b, std::uint32_t job, std::uint32_t parts,
                                     unsigned long long& place, unsigned long long deadline,
                                     unsigned threads) {
  if (threadIdx.x == 0) place = atomicAdd(&b.queue->tail, static_cast<unsigned long long>(parts));
  __threadfence();
  __syncthreads();
  for (std::uint32_t t = threadIdx.x; t < parts; t += threads)
    enqueue(b, place + t, static_cast<unsigned long long>(job) << part_bits | t, deadline);
}

}  // namespace datum::cuda
