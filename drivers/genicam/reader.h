// Reader: keeps a camera open and running, and delivers its blocks. All times are arguments; blocking calls
// run on the camera's own thread.
#pragma once

#include "drivers/genicam/camera_thread.h"
#include "drivers/port/pollable.h"
#include "drivers/port/reconnector.h"

namespace datum::genicam {

/// Receiver of a reader's events, called from within the reader's functions.
class Listener {
 public:
  virtual ~Listener() = default;
  /// The camera restarted, with a new block count.
  virtual void opened(const Opened& opened, MonotonicNs now) = 0;
  virtual void block(Block&& block, MonotonicNs now) = 0;
  virtual void clock(const ClockAnswer& answer) = 0;
  /// Blocks were dropped because earlier ones were not taken.
  virtual void overrun(std::uint64_t frames) = 0;
  /// The camera is lost; operations in progress have ended.
  virtual void lost(const std::string& why, MonotonicNs now) = 0;
  virtual void warning(const std::string& text) = 0;
};

class Reader final : public Pollable {
 public:
  /// For the camera's thread: the loop's clock, memory for the blocks, and who works on those in progress.
  Reader(const Settings& settings, Listener& listener, CameraThread::Clock clock, CameraThread::Memory memory,
         BlockBegins begins = nullptr);

  void start(MonotonicNs now) { keeper_.start(now); }
  /// Sends TriggerSoftware; false: not running.
  bool trigger();
  /// A trigger was asked for and is not sent yet: what comes before it is no answer to it.
  bool trigger_pending() const { return trigger_pending_; }
  /// Time of the last trigger.
  std::optional<MonotonicNs> triggered_ns() const { return triggered_ns_; }
  bool running() const { return keeper_.is_open(); }
  /// The reason; empty during the very first connection.
  std::string why_not_running() const;
  const std::optional<Opened>& state() const { return opened_; }
  const Reconnector& keeper() const { return keeper_; }

  // Pollable
  int fd() const override { return thread_.fd(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

 private:
  std::string said(const std::string& what) const;
  void handle(Event&& event, MonotonicNs now);

  Settings settings_;
  Listener& listener_;
  CameraThread thread_;
  Reconnector keeper_;
  std::optional<Opened> opened_;
  std::optional<MonotonicNs> triggered_ns_, next_check_ns_;
  std::string told_;  // the last reported loss, while it lasts
  bool clock_told_ = false, trigger_pending_ = false;
  std::uint64_t blocks_ = 0;
};

}  // namespace datum::genicam
