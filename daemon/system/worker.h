// One thread for inspections, so that the links are served during a measurement.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "drivers/port/pollable.h"

namespace datum {

/// Jobs run in order in the worker's thread; the continuation of each runs on the loop. A job must not throw. Any thread may
/// submit; the rest is the loop's.
class Worker : public Pollable {
 public:
  Worker();
  /// Completes the running job, drops waiting ones.
  ~Worker() override;
  /// Completes the running job without its continuation, drops waiting ones, accepts no others.
  void finish();

  void submit(std::function<void()> job, std::function<void()> then);
  /// The same for a job that may throw: `then` gets the exception's text, empty where it threw none.
  void submit_fallible(std::function<void()> job, std::function<void(const std::string& failed)> then);
  bool busy() const { return submitted_ != finished_; }
  /// Jobs that wait, run, or whose end the loop has not processed.
  std::uint64_t jobs() const { return submitted_ - finished_; }
  /// Begin of the running job; none while idle. The watchdog is notified only while it is recent.
  std::optional<MonotonicNs> busy_since() const {
    return busy() ? std::optional(since_.load()) : std::nullopt;
  }

  int fd() const override { return event_; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return busy() ? "worker: measuring" : "worker: idle"; }

 private:
  struct Task {
    std::function<void()> job, then;
  };
  void work();

  int event_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> waiting_, done_;
  bool stopping_ = false;
  std::atomic<std::uint64_t> submitted_{0}, finished_{0};
  std::atomic<MonotonicNs> since_{0};
  std::thread thread_;
};

}  // namespace datum
