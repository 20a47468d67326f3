// The daemon's single event loop: sd-event for the Pollables of all links, the watchdog and the signals.
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

  /// Watches a pollable until remove(). The pollable outlives its registration.
  void add(Pollable& pollable);
  void remove(Pollable& pollable);

  /// Calls `action` on the loop when the signal arrives. Threads started afterwards inherit the blocked signal.
  void on_signal(int signal, std::function<void()> action);
  /// Sets the action after every round of events, and at least once a second.
  void after_each_round(std::function<void(MonotonicNs)> action) { after_round_ = std::move(action); }

  /// Runs until stop(). Rethrows the exception of an action.
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
