// Thread that talks to a camera, so that no other thread blocks on it. It reports by a bounded queue of
// events; a descriptor becomes readable when the queue is not empty.
//
//   open() -> Opened -> (Block | Clock | Triggered | Warning)* -> Lost;  close() discards queued events
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
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
  Setup setup;  // at the start
  /// Difference from the setup at the start, read after the block came; empty: none. Broken where it can't be read.
  std::shared_future<std::string> change;
};
struct Triggered {
  MonotonicNs sent_ns = 0;  // or slightly later
};
struct NoClock {};
struct Overrun {
  std::uint64_t frames = 0;  // dropped because earlier ones were not taken
};
struct Warning {
  std::string text;
};
struct Lost {
  std::string why;
};
using Event = std::variant<Opened, Block, Triggered, ClockAnswer, NoClock, Overrun, Warning, Lost>;

/// The access in progress, and its start.
struct Pending {
  std::string what;
  MonotonicNs since_ns = 0;
};

class CameraThread {
 public:
  using Clock = std::function<MonotonicNs()>;
  using Memory = std::function<std::vector<std::uint8_t>(std::size_t)>;  // on this thread
  CameraThread(const Settings& settings, Clock clock, Memory memory, BlockBegins begins = nullptr);
  /// Waits for the access in progress.
  ~CameraThread();
  CameraThread(const CameraThread&) = delete;
  CameraThread& operator=(const CameraThread&) = delete;

  void open();
  void close();
  /// Sends it after the access in progress.
  void trigger();
  /// Running: Opened was reported, and neither Lost nor close() has followed.
  bool running() const;
  /// Events since the last call; resets the descriptor.
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
  Memory memory_;
  BlockBegins begins_;
  int ready_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable woken_;
  std::uint64_t session_ = 0;  // counts open(); events of other sessions are discarded
  bool open_ = false, stop_ = false, running_ = false, trigger_ = false, wake_ = false;
  std::uint64_t overrun_ = 0;
  std::deque<Event> events_;
  std::optional<Pending> pending_;
  std::optional<MonotonicNs> unanswered_;  // TriggerSoftware without a block so far; used by the thread only
  std::thread thread_;                     // last
};

}  // namespace datum::genicam
