// GrblMover: moves the probe of a GRBL 1.1 machine, one straight move at a time, each checked before and read back behind. No
// I/O, no clock: lines and positions come in, bytes go out.
//
// A move over a free way is G38.3 too, so that the machine itself stops at an unexpected contact; only the way back from a
// contact is G1. A stop is a feed hold, and a soft reset once the machine stands: GRBL keeps its position then, but its banner
// makes every position doubtful until an operator has looked (DIAGnostic:POSition:REFerenced).
//
//   move -> the start is read -> G38.3 ... -> ok -> the end is read -> moved
//                             -> G1 ... ok, G4 ... ok (the planner is empty) ->
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/settings.h"

namespace datum {

class GrblMover final : public ProbeMover {
 public:
  struct Handlers {
    std::function<void(std::string_view bytes)> send;
    std::function<void(MonotonicNs now)> poll;  // a position that is younger than `now` is wanted
    std::function<void(const std::string& text)> note;
  };
  /// `settings` with grbl_motion.
  GrblMover(const CmmSettings& settings, Handlers handlers);

  // ProbeMover
  void move(const ProbeWay& way, MonotonicNs now) override;
  void stop(const std::string& why, MonotonicNs now) override;
  bool moving() const override { return phase_ != Phase::idle; }
  void on_moved(std::function<void(const std::string& why, MonotonicNs now)> handler) override {
    moved_ = std::move(handler);
  }

  // from the link
  /// A killed datumd may have left the machine moving: its first report shows that, and it is stopped.
  void opened();
  void lost(const std::string& why, MonotonicNs now);
  /// Lines of the reader's own that the controller acknowledges, sent before anything that follows.
  void reader_sent(std::size_t lines) { foreign_ += lines; }
  /// A line without its end, before its position comes.
  void heard(std::string_view line, MonotonicNs now);
  void position(const ProbePoint& sample, MonotonicNs now);
  std::optional<MonotonicNs> deadline() const { return due_; }
  void on_deadline(MonotonicNs now);

 private:
  enum class Phase { idle, start, sent, draining, arrival, stopping };

  void begin(const ProbePoint& sample, MonotonicNs now);
  void arrive(const ProbePoint& sample, MonotonicNs now);
  void acknowledged(MonotonicNs now);
  void wait_for_end(MonotonicNs now);
  void hold(MonotonicNs now);
  void soft_reset(MonotonicNs now);
  void end(const std::string& why, MonotonicNs now);

  CmmSettings settings_;
  Handlers handlers_;
  std::function<void(const std::string& why, MonotonicNs now)> moved_;
  Phase phase_ = Phase::idle;
  ProbeWay way_;
  bool probing_ = false;  // the command in progress is G38.3
  bool touches_ = false;  // the tip rests on what it touched: the next move leads away
  std::optional<bool> contact_;
  std::array<double, 3> contact_mm_{};
  std::string state_;   // of the last report: "Idle", "Run", "Hold:0" ...
  bool first_ = false;  // no report came since the link opened
  bool reset_sent_ = false;
  std::size_t foreign_ = 0;  // acknowledgements of the reader's lines that are still to come
  MonotonicNs since_ns_ = 0;
  std::optional<MonotonicNs> due_;
  std::string why_;  // of the stop
};

}  // namespace datum
