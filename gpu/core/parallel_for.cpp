#include "gpu/core/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/core/progress.h"

namespace datum {
namespace {

std::atomic<std::uint64_t> marks{0};

struct Job {
  const std::function<void(std::size_t, unsigned)>* work;
  std::size_t count;
  std::atomic<std::size_t> next{0};
  std::mutex error_mutex;
  std::exception_ptr error;

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
    const std::lock_guard one_job_at_a_time(job_mutex_);
    {
      const std::lock_guard lock(mutex_);
      while (threads_.size() < helpers) {
        const unsigned slot = static_cast<unsigned>(threads_.size()) + 1;
        threads_.emplace_back([this, slot, seen = generation_] { serve(slot, seen); });
      }
      job_ = &job;
      helpers_ = running_ = helpers;
      ++generation_;
    }
    wake_.notify_all();
    job.run(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void serve(unsigned slot, unsigned long seen) {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
      if (slot > helpers_) continue;
      Job& job = *job_;
      lock.unlock();
      job.run(slot);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex job_mutex_, mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Job* job_ = nullptr;
  unsigned helpers_ = 0, running_ = 0;
  unsigned long generation_ = 0;
  bool stop_ = false;
};

}  // namespace

void mark_progress() { marks.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t progress_marks() { return marks.load(std::memory_order_relaxed); }

void parallel_for(unsigned threads, std::size_t count,
                  const std::function<void(std::size_t, unsigned)>& work) {
  Job job;
  job.work = &work;
  job.count = count;
  const std::size_t useful = std::min<std::size_t>(threads, count);
  if (useful <= 1) {
    job.run(0);
  } else {
    static Pool pool;
    pool.run(static_cast<unsigned>(useful) - 1, job);
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace datum
