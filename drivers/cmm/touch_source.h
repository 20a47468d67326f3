// TouchSource: single touches from the CMM reader's output. No I/O, no clock.
//
//   source.ask(now);             // the operator is about to touch, or is in contact
//   reader.on_touch:  source.latched(point, now);
//   reader.on_sample: source.position(point, now);
//   step done or failed: source.touch(), source.why()
//
// A touch is a position that the device latched at contact after the request. For a device that latches
// nothing, it is a position at rest while the operator reports contact.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

struct TouchSettings {
  TouchRule rule = TouchRule::stand_still;
  /// stand_still: number of successive positions within tolerance_um of their mean. Three exclude a machine
  /// that reverses.
  int samples = 3;
  /// Largest distance of one position from the mean: a machine at rest varies by at most a count per axis,
  /// 1.7 um over three axes of 1 um and 4.4 um of 0.0001 in.
  double tolerance_um = 5;
  int timeout_ms = 30'000;  // from ask(), for an operator who moves the probe by hand
  int latency_ms = 0;       // as PairSettings::latency_ms
};

/// Throws RefusedError that states the setting, its value and the allowed range.
void check(const TouchSettings& settings);

/// Probe centre in mm, machine coordinates; the surface is one probe radius away.
struct Touch {
  std::array<double, 3> position_mm{};
  TouchRule rule = TouchRule::stand_still;
  int samples = 1;                                  // number of averaged positions
  double spread_um = 0;                             // largest distance of one of them from their mean
  MonotonicNs at_ns = 0;                            // last byte of the last of them
  std::optional<std::array<double, 3>> head_deg{};  // where the machine states angles of its head
};

class TouchSource {
 public:
  enum class Step { idle, waiting, done, failed };

  /// Throws RefusedError as check() does.
  explicit TouchSource(const TouchSettings& settings) : settings_((check(settings), settings)) {}

  /// Waits for a touch from now on; discards one in progress.
  void ask(MonotonicNs now);
  /// A position latched by the device. Ignored: before ask(), bounces of one contact, and under the other
  /// rule. One that is not ok fails the touch. Equal positions of two touches are two touches: a count is a
  /// few um.
  void latched(const ProbePoint& point, MonotonicNs now);
  /// A position of the reader. stand_still: used if measured after ask(); one that is not ok restarts the
  /// count. latched: only a lost link or reference matters, and fails the touch.
  void position(const ProbePoint& point, MonotonicNs now);
  /// The next position is needed as soon as possible. A latched touch is unsolicited, so polls keep their
  /// period.
  bool wants_position() const { return step_ == Step::waiting && settings_.rule == TouchRule::stand_still; }
  void abort();
  std::optional<MonotonicNs> deadline() const { return deadline_; }
  void on_deadline(MonotonicNs now);

  Step step() const { return step_; }
  bool finished() const { return step_ == Step::done || step_ == Step::failed; }
  /// The last completed touch.
  const Touch& touch() const { return touch_; }
  /// Why it failed, for the operator.
  const std::string& why() const { return why_; }

 private:
  void stood(const ProbePoint& point);
  void done(const Touch& touch);
  void fail(const std::string& why);

  TouchSettings settings_;
  Step step_ = Step::idle;
  std::optional<MonotonicNs> deadline_;
  MonotonicNs asked_ns_ = 0;
  std::deque<ProbePoint> stood_;  // the last positions, at most `samples`
  std::string last_fault_;        // of a position since ask()
  Touch touch_;
  std::string why_;
};

const char* name_of(TouchSource::Step step);

}  // namespace datum
