#include "gpu/core/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/core/progress.h"
#include "gpu/core/thread_team.h"

namespace datum {
namespace {

std::atomic<std::uint64_t> marks{0};

struct Job {
  const std::function<void(std::size_t, unsigned)>* work;
  std::size_t count;
  std::atomic<std::size_t> next{0};
  std::mutex error_mutex;
  std::exception_ptr error;
  unsigned wanted = 0, joined = 0, running = 0;  // helpers; guarded by the pool

  void run(unsigned slot) {
    try {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        (*work)(i, slot);
        mark_progress();
      }
    } catch (...) {
      next.store(count);
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  }
};

/// Each job has its caller and as many helpers as it wants: one never waits for another's end.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void run(unsigned helpers, Job& job) {
    {
      const std::lock_guard lock(mutex_);
      job.wanted = helpers;
      open_.push_back(&job);
      wanted_ += helpers;
      while (threads_.size() < wanted_) threads_.emplace_back([this] { serve(); });
    }
    for (unsigned i = 0; i < helpers; ++i) wake_.notify_one();
    job.run(0);
    std::unique_lock lock(mutex_);
    open_.erase(std::find(open_.begin(), open_.end(), &job));
    done_.wait(lock, [&job] { return job.running == 0; });
    wanted_ -= helpers;
  }

 private:
  /// Null: none has room.
  Job* job_with_room() const {
    const auto found =
        std::find_if(open_.begin(), open_.end(), [](const Job* job) { return job->joined < job->wanted; });
    return found == open_.end() ? nullptr : *found;
  }
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      wake_.wait(lock, [&] { return stop_ || (job = job_with_room()); });
      if (stop_) return;
      const unsigned slot = ++job->joined;
      ++job->running;
      lock.unlock();
      job->run(slot);
      lock.lock();
      if (--job->running == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  std::vector<Job*> open_;  // whose caller is at work
  std::size_t wanted_ = 0;  // helpers of all jobs
  bool stop_ = false;
};

thread_local ThreadTeam* team = nullptr;  // that this thread leads

}  // namespace

void mark_progress() { marks.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t progress_marks() { return marks.load(std::memory_order_relaxed); }

void parallel_for(unsigned threads, std::size_t count,
                  const std::function<void(std::size_t, unsigned)>& work) {
  const std::size_t useful = std::min<std::size_t>(threads, count);
  if (team && useful > 1 && team->threads() <= threads) return team->run(count, work);
  Job job;
  job.work = &work;
  job.count = count;
  if (useful <= 1) {
    job.run(0);
  } else {
    static Pool pool;
    pool.run(static_cast<unsigned>(useful) - 1, job);
  }
  if (job.error) std::rethrow_exception(job.error);
}

void with_threads_awake(unsigned threads, const std::function<void()>& work) {
  if (team || threads <= 1) return work();
  static ThreadTeams teams;
  struct Led {
    std::unique_ptr<ThreadTeam> by_this_thread;
    explicit Led(unsigned threads) : by_this_thread(teams.take(threads)) { team = by_this_thread.get(); }
    ~Led() {
      team = nullptr;
      teams.give_back(std::move(by_this_thread));
    }
  };
  const Led led(threads);
  team->wake();
  work();
}

}  // namespace datum
