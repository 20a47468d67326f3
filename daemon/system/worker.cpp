#include "daemon/system/worker.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "daemon/system/event_loop.h"

namespace datum {

Worker::Worker() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { work(); });
}

Worker::~Worker() {
  finish();
  ::close(event_);
}

void Worker::finish() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::submit(std::function<void()> job, std::function<void()> then) {
  if (!busy()) since_ = EventLoop::now();
  ++submitted_;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(job), std::move(then)});
  }
  wake_.notify_one();
}

void Worker::submit_fallible(std::function<void()> job, std::function<void(const std::string&)> then) {
  const auto failed = std::make_shared<std::string>();
  submit(
      [job = std::move(job), failed] {
        try {
          job();
        } catch (const std::exception& error) {
          *failed = error.what();
        }
      },
      [then = std::move(then), failed] { then(*failed); });
}

void Worker::on_ready(MonotonicNs now) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(event_, &count, sizeof count);
  std::deque<Task> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (Task& task : done) {
    ++finished_;
    since_ = now;
    task.then();
  }
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task.job();
    lock.lock();
    done_.push_back(std::move(task));
    lock.unlock();  // the loop, which this wakes, locks it first
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(event_, &one, sizeof one);
    lock.lock();
  }
}

}  // namespace datum
