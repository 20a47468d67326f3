// Threads that stay awake from one short loop to the next. Included by parallel_for.cpp only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
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
    open_.store(true);
    if (asleep_.load() > 0) wake();
    take(0);
    open_.store(false);
    while (inside_.load() != 0) pause();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
  void follow(unsigned slot) {
    auto idle_from = std::chrono::steady_clock::now();
    while (!ended_.load(std::memory_order_acquire)) {
      if (enter()) {
        take(slot);
        inside_.fetch_sub(1);
        idle_from = std::chrono::steady_clock::now();
      } else if (std::chrono::steady_clock::now() - idle_from < awake) {
        pause();
      } else {
        sleep();
      }
    }
  }
  void end() {
    ended_.store(true);
    wake();
  }

 private:
  // The leader's own work between two loops of a registration takes less; a thread is woken within as much.
  static constexpr std::chrono::microseconds awake{50};

  static void pause() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  /// The leader waits for those inside of a loop, so that what an open one is made of stays.
  bool enter() {
    if (!open_.load(std::memory_order_relaxed)) return false;
    inside_.fetch_add(1);
    if (open_.load() && next_.load(std::memory_order_relaxed) < count_) return true;
    inside_.fetch_sub(1);
    return false;
  }
  void take(unsigned slot) {
    try {
      for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
        (*work_)(i, slot);
        mark_progress();
      }
    } catch (...) {
      next_.store(count_);
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void sleep() {
    const std::uint32_t before = woken_.load();
    asleep_.fetch_add(1);
    if (!open_.load() && !ended_.load()) woken_.wait(before);
    asleep_.fetch_sub(1);
  }
  void wake() {
    woken_.fetch_add(1);
    woken_.notify_all();
  }

  const unsigned threads_;
  const Work* work_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> open_{false}, ended_{false};
  std::atomic<int> inside_{0}, asleep_{0};
  std::atomic<std::uint32_t> woken_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace datum
