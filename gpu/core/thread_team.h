// Threads that are woken at once and stay awake from one short loop to the next. Included by parallel_for.cpp only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/core/progress.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace datum {

/// One thread leads: it calls run() for one loop after the other. The team's own threads take part in the loops that they find open,
/// and sleep where none was open for a while. Each thread begins with every `threads`th index, and goes on with those that others have not taken:
/// counters that all threads write would take longer than short work does.
class ThreadTeam {
 public:
  using Work = std::function<void(std::size_t, unsigned)>;
  /// `threads`: with the leader. Throws std::system_error where there are no more threads.
  explicit ThreadTeam(unsigned threads) : threads_(threads), lanes_(new Lane[threads]) {
    try {
      for (unsigned slot = 1; slot < threads; ++slot) own_.emplace_back([this, slot] { follow(slot); });
    } catch (...) {
      end();
      throw;
    }
  }
  ~ThreadTeam() { end(); }
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  unsigned threads() const { return threads_; }

  /// A loop comes soon.
  void wake() {
    if (asleep_.load() == 0) return;
    woken_.fetch_add(1);
    woken_.notify_all();
  }

  /// All of the loop is done at the return. Rethrows one exception of those that `work` threw.
  void run(std::size_t count, const Work& work) {
    work_ = &work;
    count_ = count;
    for (unsigned k = 0; k < threads_; ++k) lanes_[k].next.store(k, std::memory_order_relaxed);
    open_.store(++loops_);
    wake();
    take(0);
    open_.store(0);
    for (unsigned k = 1; k < threads_; ++k) await(lanes_[k]);
    mark_progress();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  // 30 to 100 us: the leader's own work between two loops of a registration takes less, and a thread is woken within as much.
  static constexpr int looks_awake = 1500;
  // Processors fetch lines by pairs.
  static constexpr std::size_t apart = 128;
  struct alignas(apart) Lane {
    std::atomic<std::size_t> next{0};  // index, by steps of threads_
    std::atomic<bool> inside{false};   // its thread is in a loop
  };

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
  static void pause() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  static void await(const Lane& lane) {
    for (int looks = 0; lane.inside.load(); ++looks) {
      if (looks < looks_awake) {
        pause();
      } else {
        std::this_thread::yield();  // another program has that thread's processor
      }
    }
  }
  /// The leader waits for those inside of a loop, so that what an open one is made of stays.
  void take_part(std::uint32_t loop, unsigned slot) {
    lanes_[slot].inside.store(true);
    if (open_.load() == loop) take(slot);
    lanes_[slot].inside.store(false, std::memory_order_release);
  }
  void take(unsigned slot) {
    try {
      for (unsigned k = 0; k < threads_; ++k) take_lane(lanes_[(slot + k) % threads_], slot);
    } catch (...) {
      for (unsigned k = 0; k < threads_; ++k) lanes_[k].next.store(count_);
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void take_lane(Lane& lane, unsigned slot) {
    while (lane.next.load(std::memory_order_relaxed) < count_) {
      const std::size_t i = lane.next.fetch_add(threads_, std::memory_order_relaxed);
      if (i < count_) (*work_)(i, slot);
    }
  }
  void sleep(std::uint32_t done) {
    const std::uint32_t before = woken_.load();
    asleep_.fetch_add(1);
    const std::uint32_t loop = open_.load();
    if ((loop == 0 || loop == done) && !ended_.load()) woken_.wait(before);
    asleep_.fetch_sub(1);
  }
  void end() {
    ended_.store(true);
    woken_.fetch_add(1);
    woken_.notify_all();
    for (std::thread& t : own_) t.join();
  }

  const unsigned threads_;
  const std::unique_ptr<Lane[]> lanes_;  // of each thread
  const Work* work_ = nullptr;
  std::size_t count_ = 0;
  std::uint32_t loops_ = 0;
  alignas(apart) std::atomic<std::uint32_t> open_{0};  // the loop's number; 0: none
  std::atomic<bool> ended_{false};
  alignas(apart) std::atomic<int> asleep_{0};
  std::atomic<std::uint32_t> woken_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::thread> own_;  // the last member: they use the others
};

/// Teams whose leaders come and go.
class ThreadTeams {
 public:
  std::unique_ptr<ThreadTeam> take(unsigned threads) {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const auto& team) { return team->threads() == threads; };
    const auto found = std::find_if(idle_.begin(), idle_.end(), fits);
    if (found == idle_.end()) return std::make_unique<ThreadTeam>(threads);
    auto team = std::move(*found);
    idle_.erase(found);
    return team;
  }
  void give_back(std::unique_ptr<ThreadTeam> team) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(team));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadTeam>> idle_;
};

}  // namespace datum
