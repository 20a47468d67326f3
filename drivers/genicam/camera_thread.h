// Thread that talks to a camera, so that no other thread blocks on it, and one that receives its blocks, which wait for no
// answer of the camera. They report by a bounded queue of events; a descriptor becomes readable when the queue is not empty.
//
//   open() -> Opened -> (Block | Clock | Triggered | Warning)* -> Lost;  close() discards queued events
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

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
  using Memory = std::function<std::vector<std::uint8_t>(std::size_t)>;  // on its threads
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

  class Receiving;

  void run();
  void serve(std::uint64_t session);
  void receive(Camera& camera, std::uint64_t session, const Setup& setup);
  void deliver(std::uint64_t session, const Setup& setup, Delivery&& delivery);
  void send_trigger(Camera& camera, std::uint64_t session);
  void check_setup(Camera& camera, const Setup& setup, std::vector<std::promise<std::string>>& asked);
  void demand_an_answer_to_the_trigger() const;
  void tell(std::uint64_t session, Event event);
  bool wanted(std::uint64_t session) const;
  CameraTools tools(std::uint64_t session);

  Settings settings_;
  Clock clock_;
  Memory memory_;
  BlockBegins begins_;
  int ready_ = -1;

  std::mutex order_;  // held while a trigger is sent and told, and while blocks are told; taken before mutex_
  mutable std::mutex mutex_;
  std::condition_variable woken_, arrived_;  // the camera's thread; its receiving one
  std::uint64_t session_ = 0;                // counts open(); events of other sessions are discarded
  bool open_ = false, stop_ = false, running_ = false, trigger_ = false;
  bool wake_ = false, receiving_ends_ = false;
  std::exception_ptr failure_;                    // of receiving
  std::vector<std::promise<std::string>> asked_;  // changes of the setup since blocks that came
  std::uint64_t overrun_ = 0;
  std::deque<Event> events_;
  std::optional<Pending> pending_;
  std::optional<MonotonicNs> unanswered_;  // TriggerSoftware without a block so far
  std::thread thread_;                     // last
};

}  // namespace datum::genicam
