// Threads that stay awake from one short loop to the next. Included by parallel_for.cpp only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "gpu/core/progress.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace datum {

/// One thread leads: it calls run() for one loop after the other, and end(). Others are in follow() meanwhile, and take part in the
/// loops that they find open.
class ThreadTeam {
 public:
  using Work = std::function<void(std::size_t, unsigned)>;
  explicit ThreadTeam(unsigned threads) : threads_(threads) {}
  unsigned threads() const { return threads_; }

  /// All of the loop is done at the return. Rethrows one exception of those that `work` threw.
  void run(std::size_t count, const Work& work) {
    work_ = &work;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    open_.store(++loops_);
    if (asleep_.load() > 0) wake();
    take(0);
    open_.store(0);
    for (int looks = 0; inside_.load() != 0; ++looks) {
      if (looks < looks_awake) {
        pause();
      } else {
        std::this_thread::yield();  // another program has that thread's processor
      }
    }
    mark_progress();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
  void follow(unsigned slot) {
    std::uint32_t done = 0;  // the last loop that this thread took part in
    for (int looks = 0; !ended_.load(std::memory_order_acquire); ++looks) {
      const std::uint32_t loop = open_.load(std::memory_order_relaxed);
      if (loop != 0 && loop != done) {
        take_part(loop, slot);
        done = loop;
        looks = 0;
      } else if (looks < looks_awake) {
        pause();
      } else {
        sleep(done);
        looks = 0;
      }
    }
  }
  void end() {
    ended_.store(true);
    wake();
  }

 private:
  // 30 to 100 us: the leader's own work between two loops of a registration takes less, and a thread is woken within as much.
  static constexpr int looks_awake = 1500;

  static void pause() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  /// The leader waits for those inside of a loop, so that what an open one is made of stays.
  void take_part(std::uint32_t loop, unsigned slot) {
    inside_.fetch_add(1);
    if (open_.load() == loop) take(slot);
    inside_.fetch_sub(1);
  }
  void take(unsigned slot) {
    try {
      for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*work_)(i, slot);
    } catch (...) {
      next_.store(count_);
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void sleep(std::uint32_t done) {
    const std::uint32_t before = woken_.load();
    asleep_.fetch_add(1);
    const std::uint32_t loop = open_.load();
    if ((loop == 0 || loop == done) && !ended_.load()) woken_.wait(before);
    asleep_.fetch_sub(1);
  }
  void wake() {
    woken_.fetch_add(1);
    woken_.notify_all();
  }

  // What all threads look at lies apart from what each loop's threads write.
  static constexpr std::size_t line = 64;
  const unsigned threads_;
  const Work* work_ = nullptr;
  std::size_t count_ = 0;
  std::uint32_t loops_ = 0;
  alignas(line) std::atomic<std::uint32_t> open_{0};  // the loop's number; 0: none
  std::atomic<bool> ended_{false};
  alignas(line) std::atomic<std::size_t> next_{0};
  alignas(line) std::atomic<int> inside_{0};
  alignas(line) std::atomic<int> asleep_{0};
  std::atomic<std::uint32_t> woken_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace datum
