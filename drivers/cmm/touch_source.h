// TouchSource: one touch at a time out of what the CMM reader delivers. No I/O, no clock.
//
//   source.ask(now);             // the operator is about to touch, or stands in contact
//   reader.on_touch:  source.latched(point, now);
//   reader.on_sample: source.position(point, now);
//   step done or failed: source.touch(), source.why()
//
// A touch is a position that the device latched at contact after it was asked for, or, where the device
// latches nothing, one at which the machine stands still while the operator says that the probe is in
// contact.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

struct TouchSettings {
  TouchRule rule = TouchRule::stand_still;
  /// stand_still: so many positions within tolerance_um of their mean. Three in a row leave no room for a
  /// machine that turns round.
  int samples = 3;
  /// Of one position from the mean of those taken: a machine at rest shows at most a count per axis, 1.7 um
  /// over three axes of 1 um and 4.4 um of 0.0001 in.
  double tolerance_um = 5;
  int timeout_ms = 30'000;  // from ask(): an operator walks the probe there
  int latency_ms = 0;       // as PairSettings::latency_ms
};

/// Throws RefusedError that names the setting, its value and what is allowed.
void check(const TouchSettings& settings);

/// Probe centre in mm, machine coordinates: the surface is a probe radius away.
struct Touch {
  std::array<double, 3> position_mm{};
  TouchRule rule = TouchRule::stand_still;
  int samples = 1;        // averaged
  double spread_um = 0;   // largest distance of one of them from the mean
  MonotonicNs at_ns = 0;  // last byte of the last of them
};

class TouchSource {
 public:
  enum class Step { idle, waiting, done, failed };

  /// Throws RefusedError as check() does.
  explicit TouchSource(const TouchSettings& settings) : settings_((check(settings), settings)) {}

  /// Waits for a touch from now on, whatever went on before.
  void ask(MonotonicNs now);
  /// What the device latched. Passed over: before ask(), a contact that bounces among them, and under the other rule. One
  /// that is not ok fails the touch. Equal positions of two touches are two touches: a step is a few um.
  void latched(const ProbePoint& point, MonotonicNs now);
  /// A position of the reader. stand_still: taken if measured after ask(); one that is not ok starts the
  /// count anew. latched: a lost link or reference fails the touch, nothing else matters.
  void position(const ProbePoint& point, MonotonicNs now);
  /// The next position is of use as soon as it can be had. A latched touch comes unasked: polls keep to their period.
  bool wants_position() const { return step_ == Step::waiting && settings_.rule == TouchRule::stand_still; }
  void abort();
  std::optional<MonotonicNs> deadline() const { return deadline_; }
  void on_deadline(MonotonicNs now);

  Step step() const { return step_; }
  bool finished() const { return step_ == Step::done || step_ == Step::failed; }
  /// Of the last touch that was done.
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
