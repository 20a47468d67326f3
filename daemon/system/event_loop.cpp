#include "daemon/system/event_loop.h"

#include <signal.h>
#include <sys/epoll.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

namespace datum {

namespace {

constexpr std::uint64_t idle_round_us =
    1'000'000;  // us; longest time between two rounds; bounds the interval of watchdog notifications

void must(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

}  // namespace

struct EventLoop::Watch {
  struct Unref {
    void operator()(sd_event_source* source) const { sd_event_source_disable_unref(source); }
  };
  using Source = std::unique_ptr<sd_event_source, Unref>;

  EventLoop* loop;
  Pollable* pollable;
  int fd = -1;
  Source io, timer;
  std::optional<std::uint64_t> due_us{};  // due time of the armed timer
};

EventLoop::EventLoop() {
  must(sd_event_new(&event_), "sd_event_new");
  sd_event_set_watchdog(event_, 0);  // notified by hand, only while the worker makes progress
}

EventLoop::~EventLoop() {
  watches_.clear();
  sd_event_unref(event_);
}

MonotonicNs EventLoop::now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return MonotonicNs{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

template <class Action>
int EventLoop::guarded(Action&& action) {
  try {
    action();
  } catch (...) {
    failure_ = std::current_exception();
    stop();
  }
  return 0;
}

void EventLoop::add(Pollable& pollable) {
  watches_.push_back(std::make_unique<Watch>(Watch{this, &pollable, -1, nullptr, nullptr}));
  sync(*watches_.back());
}

void EventLoop::remove(Pollable& pollable) {
  watches_.remove_if([&](const auto& watch) { return watch->pollable == &pollable; });
}

void EventLoop::sync(Watch& watch) {
  const int fd = watch.pollable->fd();
  const std::uint32_t events = EPOLLIN | (watch.pollable->wants_write() ? EPOLLOUT : 0u);
  if (fd != watch.fd || !watch.io) {
    watch.io.reset();
    watch.fd = fd;
    if (fd >= 0) {
      sd_event_source* source = nullptr;
      const auto on_io = [](sd_event_source*, int, std::uint32_t, void* data) {
        auto* w = static_cast<Watch*>(data);
        return w->loop->guarded([&] { w->pollable->on_ready(now()); });
      };
      must(sd_event_add_io(event_, &source, fd, events, on_io, &watch), "sd_event_add_io");
      watch.io.reset(source);
    }
  } else {
    must(sd_event_source_set_io_events(watch.io.get(), events), "sd_event_source_set_io_events");
  }
  const auto deadline = watch.pollable->deadline();
  if (!deadline) {
    watch.timer.reset();
    watch.due_us.reset();
    return;
  }
  const auto due_us = static_cast<std::uint64_t>(std::max<MonotonicNs>(*deadline, 0) + 999) / 1000;
  // A timer that is armed again would queue behind a descriptor that is readable in every round: a flooding device.
  if (watch.timer && watch.due_us == due_us) return;
  watch.due_us = due_us;
  if (!watch.timer) {
    sd_event_source* source = nullptr;
    const auto on_time = [](sd_event_source*, std::uint64_t, void* data) {
      auto* w = static_cast<Watch*>(data);
      w->due_us.reset();
      return w->loop->guarded([&] { w->pollable->on_deadline(now()); });
    };
    must(sd_event_add_time(event_, &source, CLOCK_MONOTONIC, due_us, 1, on_time, &watch),
         "sd_event_add_time");
    watch.timer.reset(source);
  } else {
    must(sd_event_source_set_time(watch.timer.get(), due_us), "sd_event_source_set_time");
  }
  must(sd_event_source_set_enabled(watch.timer.get(), SD_EVENT_ONESHOT), "sd_event_source_set_enabled");
}

void EventLoop::sync_all() {
  for (auto& watch : watches_) sync(*watch);
}

void EventLoop::on_signal(int signal, std::function<void()> action) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  must(-pthread_sigmask(SIG_BLOCK, &set, nullptr), "pthread_sigmask");
  signal_actions_.push_back(std::move(action));
  const auto on_signal = [](sd_event_source*, const signalfd_siginfo*, void* data) {
    (*static_cast<std::function<void()>*>(data))();
    return 0;
  };
  must(sd_event_add_signal(event_, nullptr, signal, on_signal, &signal_actions_.back()),
       "sd_event_add_signal");
}

void EventLoop::run() {
  while (!stopping_) {
    sync_all();
    must(sd_event_run(event_, idle_round_us), "sd_event_run");
    if (failure_) std::rethrow_exception(failure_);
    if (after_round_) after_round_(now());
  }
}

void EventLoop::stop() { stopping_ = true; }

}  // namespace datum
