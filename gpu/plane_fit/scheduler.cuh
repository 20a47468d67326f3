// Scheduler: hands the parts of jobs to the blocks of one kernel. It knows neither planes nor points.
//
// Each job has passes of several parts. The parts of all first passes are known at the launch; the block that
// finishes the last part of a pass enqueues the parts of the next pass. A block prefers the first passes, and fetches
// its next task while its other threads report the one in hand. An idle block takes a ticket and waits at the slot of
// that number; a working block holds no ticket. No block waits for one that has not started, so any grid size makes
// progress.
#pragma once

#include <cstdint>

#include "gpu/core/cuda_dialect.cuh"

namespace datum::cuda {

/// Counters of one launch, zero between two launches. Each lies on its own cache line, because waiting blocks poll
/// some.
struct Queue {
  alignas(128) unsigned long long head;        // tickets given out
  alignas(128) unsigned long long tail;        // tasks enqueued
  alignas(128) unsigned long long first_next;  // tasks of first passes given out
  alignas(128) unsigned int jobs_done;
  unsigned int blocks_done, timed_out;
};

// A task is the number of a job and of a part of it, 20 bits each. The slots are a ring: above the task a slot
// carries the number of the turn, because a busy block may leave its task there until another block waits for the
// next turn.
constexpr unsigned long long no_task = ~0ull, task_mask = (1ull << 40) - 1;
constexpr int part_bits = 20;

/// The schedule of one launch, as the kernel sees it.
struct Schedule {
  Queue* queue;
  unsigned long long* slots;
  unsigned int slot_mask;                 // slots - 1, a power of two less 1
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

/// Puts a task into its slot. The caller has written and fenced what the task's block must see.
__device__ inline void enqueue(const Schedule& b, unsigned long long place, unsigned long long task,
                               unsigned long long deadline) {
  unsigned long long* slot = b.slots + (place & b.slot_mask);
  // The ring holds twice as many tasks as can wait, so the block of the last turn has taken its task long ago.
  while (*reinterpret_cast<volatile unsigned long long*>(slot) != 0 && now_ns() < deadline) {
  }
  *reinterpret_cast<volatile unsigned long long*>(slot) = turn_of(b, place) << 40 | task;
}

/// Finds the tasks of a block, in one of its threads. It lies in shared memory to save the registers of all threads.
class Dispatcher {
 public:
  __device__ Dispatcher(const Schedule& b, unsigned long long deadline) : b_(b), deadline_(deadline) {}

  /// Returns the next task, or no_task when all jobs are done or the launch timed out.
  __device__ unsigned long long next_task() {
    look_ahead();
    const unsigned long long task = next_;
    next_ = no_task;
    return task == no_task ? wait() : task;
  }

  /// Waits until another kernel has set `word`, or the launch has timed out.
  __device__ void wait_until_set(const std::uint32_t& word) {
    while (now(word) == 0 && !now(b_.queue->timed_out)) {
      if (now_ns() > deadline_) atomicExch(&b_.queue->timed_out, 1u);
      __nanosleep(50);
    }
    __threadfence();
  }

  /// Fetches a task of a first pass, while the other threads report the task in hand.
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
  /// Waits for an enqueued task.
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
      __nanosleep(50);  // leaves the memory to the blocks that work
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

/// All threads of a block: enqueue the parts of a job's next pass, after everything about it was written. `place`
/// lies in shared memory.
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
