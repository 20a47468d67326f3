// The daemon's loop in a thread of its own, for blocking hosts.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "daemon/system/event_loop.h"

namespace datum::testing {

class LoopThread {
 public:
  /// Serves these until its destruction; they outlive it.
  explicit LoopThread(const std::vector<Pollable*>& served)
      : end_(loop_), thread_([this, served] {
          for (Pollable* pollable : served) loop_.add(*pollable);
          loop_.add(end_);
          loop_.run();
        }) {}
  ~LoopThread() {
    end_.ask();
    thread_.join();
  }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

 private:
  class End final : public Pollable {
   public:
    explicit End(EventLoop& loop) : loop_(loop), asked_(eventfd(0, EFD_CLOEXEC)) {}
    ~End() override { close(asked_); }
    void ask() const { eventfd_write(asked_, 1); }
    int fd() const override { return asked_; }
    void on_ready(MonotonicNs) override { loop_.stop(); }
    std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
    void on_deadline(MonotonicNs) override {}
    std::string describe() const override { return "end"; }

   private:
    EventLoop& loop_;
    int asked_;
  };
  EventLoop loop_;
  End end_;
  std::thread thread_;
};

}  // namespace datum::testing
