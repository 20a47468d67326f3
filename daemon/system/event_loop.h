// The daemon's one loop: sd-event under the Pollables of all links, with the watchdog and the signals.
#pragma once

#include <systemd/sd-event.h>

#include <functional>
#include <list>
#include <memory>

#include "drivers/port/pollable.h"

namespace datum {

class EventLoop {
 public:
  /// Throws std::system_error where the kernel refuses an event loop.
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Watches a pollable until remove(). It outlives its registration.
  void add(Pollable& pollable);
  void remove(Pollable& pollable);

  /// Called on the loop when the signal arrives. The signal is blocked in every thread started afterwards.
  void on_signal(int signal, std::function<void()> action);
  /// Called after every round of events, and at least once a second: the place for what follows from any of
  /// them.
  void after_each_round(std::function<void(MonotonicNs)> action) { after_round_ = std::move(action); }

  /// Runs until stop(). Throws what an action threw.
  void run();
  void stop();
  static MonotonicNs now();

 private:
  struct Watch;
  void sync(Watch& watch);
  void sync_all();
  template <class Action>
  int guarded(Action&& action);

  sd_event* event_ = nullptr;
  std::list<std::unique_ptr<Watch>> watches_;
  std::list<std::function<void()>> signal_actions_;
  std::function<void(MonotonicNs)> after_round_;
  std::exception_ptr failure_;
  bool stopping_ = false;
};

}  // namespace datum
