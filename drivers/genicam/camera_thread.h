// The thread that talks with a camera, so that nobody else waits for it. It tells what happens in events, of which it
// keeps a bounded number; a descriptor becomes readable when there are some.
//
//   open() -> Opened -> (Block | Clock | Triggered | Warning)* -> Lost;  close() forgets what has not been taken
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <variant>

#include "drivers/genicam/camera.h"

namespace datum::genicam {

struct Opened {
  Identity identity;
  Setup setup;
  double exposure_us = 0;
};
struct Block {
  Delivery delivery;
  Setup setup;          // of the start
  std::string changed;  // what is no longer as it was at the start; empty: nothing
};
struct Triggered {
  MonotonicNs sent_ns = 0;  // or a little later
};
struct NoClock {};
struct Overrun {
  std::uint64_t frames = 0;  // that nobody had taken the ones before
};
struct Warning {
  std::string text;
};
struct Lost {
  std::string why;
};
using Event = std::variant<Opened, Block, Triggered, ClockAnswer, NoClock, Overrun, Warning, Lost>;

/// What is being asked, and since when.
struct Pending {
  std::string what;
  MonotonicNs since_ns = 0;
};

class CameraThread {
 public:
  using Clock = std::function<MonotonicNs()>;
  CameraThread(const Settings& settings, Clock clock);
  /// Waits for the access under way.
  ~CameraThread();
  CameraThread(const CameraThread&) = delete;
  CameraThread& operator=(const CameraThread&) = delete;

  void open();
  void close();
  /// Sent as soon as the access under way has ended.
  void trigger();
  /// It runs: Opened was told and neither Lost nor close() came since.
  bool running() const;
  /// What has happened since; makes the descriptor unreadable.
  std::deque<Event> take();
  int fd() const { return ready_; }
  std::optional<Pending> pending() const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run();
  void serve(std::uint64_t session);
  void deliver(Camera& camera, std::uint64_t session, Setup& setup, Delivery&& delivery);
  void watch(Camera& camera, std::uint64_t session, const Setup& setup);
  void demand_an_answer_to_the_trigger() const;
  void tell(std::uint64_t session, Event event);
  bool wanted(std::uint64_t session) const;
  CameraTools tools(std::uint64_t session);

  Settings settings_;
  Clock clock_;
  int ready_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable woken_;
  std::uint64_t session_ = 0;  // counts open(); an event of another one is not told
  bool open_ = false, stop_ = false, running_ = false, trigger_ = false, wake_ = false;
  std::uint64_t overrun_ = 0;
  std::deque<Event> events_;
  std::optional<Pending> pending_;
  std::optional<MonotonicNs> unanswered_;  // TriggerSoftware that no block followed; of the thread alone
  std::thread thread_;                     // last
};

}  // namespace datum::genicam
