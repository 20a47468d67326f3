// CmmReader: keeps the link to a CMM alive and its latest position at hand. All times are given, none is
// read.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/settings.h"
#include "drivers/port/pollable.h"
#include "drivers/port/port.h"

namespace datum {

class CmmReader final : public Pollable {
 public:
  /// Every sample, good or bad, as it comes; a lost link gives one link_down.
  using OnSample = std::function<void(const ProbePoint&, MonotonicNs now)>;

  /// Throws RefusedError as check(settings) does. The link is opened by start().
  CmmReader(const CmmSettings& settings, std::unique_ptr<Port> port);
  explicit CmmReader(const CmmSettings& settings) : CmmReader(settings, open_link(settings)) {}

  void on_sample(OnSample handler) { handler_ = std::move(handler); }
  /// Opens the link; again, by an operator's wish, after it was refused. Never throws: see describe().
  void start(MonotonicNs now);
  /// Polls as soon as the round in progress has ended: the next position is younger than `now`. No effect on
  /// a free-running device.
  void poll_soon(MonotonicNs now);
  /// Every touch that the device latched, good or bad, as it comes: [PRB:] of GRBL at any time, what the
  /// others send unasked while the reader listens.
  void on_touch(OnSample handler) { touch_handler_ = std::move(handler); }
  /// Listens for touches instead of polling, once the round in progress has ended; latest() grows stale. GRBL
  /// goes on being polled: its touches are told apart. No effect where the device says nothing at a touch.
  void listen(bool on, MonotonicNs now);
  /// A touch that is made now is heard.
  bool listening() const { return wants_touches_ && (state_ == State::waiting || grbl()); }
  /// An operator states that the machine was homed since its position was lost.
  void confirm_referenced() { codec_.confirm_referenced(); }

  /// The last sample; stale where it is older than max_age_ms, never an old position after a fault.
  ProbePoint latest(MonotonicNs now) const;
  /// The link must be reopened by start().
  bool refused() const { return state_ == State::refused; }

  int fd() const override { return port_->fd(); }
  bool wants_write() const override { return state_ == State::connecting || !unsent_.empty(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override { return deadline_; }
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

 private:
  enum class State {
    closed,      // deadline: reopen
    connecting,  // deadline: give up
    waiting,     // deadline: next poll; free-running or listening: none
    polling,     // deadline: no answer
    draining,    // after a poll without answer: what still comes belongs to that poll; deadline: poll again
    refused,
  };

  void open(MonotonicNs now);
  void opened(MonotonicNs now);
  void lose(const std::string& why, MonotonicNs now);
  void begin_round(MonotonicNs now);
  void ask_next_axis();
  void send(const std::string& bytes);
  void flush();
  void receive(MonotonicNs now);
  /// Runs `act`; a LostError from it closes the link and schedules its reopening.
  template <class Act>
  void guarded(MonotonicNs now, Act act);
  void deliver(MonotonicNs now);
  void link_down(const std::string& why, MonotonicNs now);
  bool grbl() const { return settings_.layout == Layout::grbl; }
  bool polled() const { return !settings_.poll.strings.empty() && (!wants_touches_ || grbl()); }

  CmmSettings settings_;
  std::unique_ptr<Port> port_;
  CmmCodec codec_;
  OnSample handler_, touch_handler_;
  bool wants_touches_ = false;
  State state_ = State::closed;
  std::optional<MonotonicNs> deadline_;
  MonotonicNs next_poll_ns_ = 0;
  std::size_t asked_ = 0;  // poll strings of this round that were sent
  std::string unsent_;
  std::string why_;  // of closed and refused
  MonotonicNs back_off_ns_ = 0;
  std::uint64_t opened_ = 0, samples_ = 0, faults_ = 0;
  ProbePoint latest_;
};

}  // namespace datum
