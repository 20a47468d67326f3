// CmmReader: maintains the link to a CMM and provides its latest position. All times are arguments; no clock
// is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/grbl_mover.h"
#include "drivers/cmm/settings.h"
#include "drivers/cmm/source.h"
#include "drivers/port/reconnector.h"

namespace datum {

class CmmReader final : public CmmSource {
 public:
  /// Throws RefusedError as check(settings) does. The link is opened by start().
  CmmReader(const CmmSettings& settings, std::unique_ptr<Port> port);
  explicit CmmReader(const CmmSettings& settings) : CmmReader(settings, open_link(settings)) {}

  void on_sample(OnSample handler) override { handler_ = std::move(handler); }
  void start(MonotonicNs now) override;
  void poll_soon(MonotonicNs now) override;
  /// GRBL's [PRB:] at any time; other devices' unsolicited output while the reader listens.
  void on_touch(OnSample handler) override { touch_handler_ = std::move(handler); }
  /// No poll is sent after the current round. GRBL is polled further, because its touches have their own
  /// lines.
  void listen(bool on, MonotonicNs now) override;
  bool listening() const override { return wants_touches_ && (waiting() || grbl()); }
  void confirm_referenced() override { codec_.confirm_referenced(); }
  ProbePoint latest(MonotonicNs now) const override;
  bool refused() const override { return link_.refused(); }
  ProbeMover* mover() override { return mover_ ? &*mover_ : nullptr; }
  void close(MonotonicNs now) override;
  bool closed() const override { return !mover_ || !mover_->moving() || !link_.is_open(); }
  std::vector<std::string> take_notes() override { return std::exchange(notes_, {}); }

  int fd() const override { return link_.fd(); }
  bool wants_write() const override { return link_.wants_write(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs now) const override;

 private:
  enum class State {  // of an open link
    waiting,          // deadline: next poll; free-running or listening: none
    polling,          // deadline: no answer
    draining,         // after an unanswered poll: late bytes belong to that poll; deadline: poll again
  };

  void opened(MonotonicNs now);
  void begin_round(MonotonicNs now);
  void ask_next_axis();
  void end_line(MonotonicNs now);
  void receive(MonotonicNs now);
  void deliver(MonotonicNs now);
  void let_mover_hear(const std::uint8_t* bytes, std::size_t size, MonotonicNs now);
  void link_down(const std::string& why, MonotonicNs now);
  bool waiting() const { return link_.is_open() && state_ == State::waiting; }
  bool grbl() const { return settings_.layout == Layout::grbl; }
  bool polled() const { return !settings_.poll.strings.empty() && (!wants_touches_ || grbl()); }

  CmmSettings settings_;
  CmmCodec codec_;
  OnSample handler_, touch_handler_;
  bool wants_touches_ = false;
  State state_ = State::waiting;
  std::optional<MonotonicNs> deadline_;
  MonotonicNs next_poll_ns_ = 0;
  std::size_t asked_ = 0;  // sent poll strings of this round
  std::uint64_t samples_ = 0, faults_ = 0;
  MonotonicNs sampled_ns_ = 0;
  ProbePoint latest_;
  std::optional<GrblMover> mover_;  // where the configuration lets GRBL move
  std::string mover_line_;          // begun
  std::vector<std::string> notes_;
  Reconnector link_;  // last: its handlers use the members above
};

}  // namespace datum
