// One thread for inspections, so that the links stay alive while a board is measured.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "drivers/port/pollable.h"

namespace datum {

/// Jobs run in order on the worker's thread; what follows each runs on the loop. A job must not throw.
class Worker : public Pollable {
 public:
  Worker();
  /// Finishes the job in hand, drops those that wait.
  ~Worker() override;
  /// Finishes the job in hand, drops those that wait; takes no others. What follows the job does not run.
  void finish();

  void submit(std::function<void()> job, std::function<void()> then);
  bool busy() const { return submitted_ != finished_; }
  /// Jobs that wait, are in hand, or whose end the loop has still to see.
  std::uint64_t jobs() const { return submitted_ - finished_; }
  /// When the job in hand began; none while idle. The watchdog is fed only while this is young.
  std::optional<MonotonicNs> busy_since() const { return busy() ? std::optional(since_) : std::nullopt; }

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
  std::uint64_t submitted_ = 0, finished_ = 0;  // loop thread only
  MonotonicNs since_ = 0;
  std::thread thread_;
};

}  // namespace datum
