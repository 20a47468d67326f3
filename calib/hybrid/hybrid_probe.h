// HybridProbe: scan, then touch (thesis 2.7.6, METROLOGY S11). A scan says roughly where a hole is; the probe
// enters it safely, touches its wall, and the circle of touches says where it is. No I/O, no clock.
//
//   probe.scan(candidate, now);      approach: probe.moves() lead above the hole and into it
//   probe.entered(position, now);    touching: probe.moves() lead from the middle to the wall
//   probe.touched(position, now);    ... 4 touches, then 8 about the circle found, until it stands still
//   done | mismatch | guard | no_convergence: probe.why(), probe.hole()
//
// Whoever moves the probe, an operator or a driver that may, executes moves() and reports back. The machine
// never believes a position that it did not expect: GUARD means stop and look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calib/hybrid/hole.h"
#include "calib/hybrid/scan_bias.h"
#include "calib/touch/touched.h"
#include "drivers/frame/probe_point.h"

namespace datum {

struct HybridSettings {
  Probe probe;
  double depth_mm = 1;    // of the tip's centre below the surface: past the chamfer, within the plate
  double spare_mm = 0.5;  // added to probe radius and 3 u wherever the way must be free
  double eps_mm = 0.005;  // center and radius stand still: the thesis' last two iterations differ by 0.004 mm
  int first_touches = 4, more_touches = 8;
  int max_rounds = 5;
  int timeout_ms = 60'000;  // for the next entered() or touched()
};

/// Throws FitRefused that names the setting, its value and what is allowed.
void check(const HybridSettings& settings);

struct ProbeMove {
  bool until_contact = false;  // otherwise any contact on the way is a crash
  Eigen::Vector3d to_mm;       // of the tip's centre, machine coordinates
};

/// Where the tip's centre is free around the hole. Machine coordinates, mm. 3 standard uncertainties and the spare room are taken off.
struct HoleRoom {
  Eigen::Vector3d surface_mm, normal;  // the hole's middle on its surface; out of the material
  double free_mm = 0;                  // off the axis: surely free
  double touch_mm = 0;                 // off the axis: a touch may lie so far out
  double depth_mm = 0, clear_mm = 0;   // inside down to this depth; outside from this height on
};

class HybridProbe {
 public:
  enum class State { idle, approach, touching, done, mismatch, guard, no_convergence };

  explicit HybridProbe(const HybridSettings& settings) : settings_((check(settings), settings)) {}

  /// The next hole. `guard` at once where the probe does not surely fit, or a figure of the scan is none.
  void scan(const HoleCandidate& hole, MonotonicNs now);
  /// The tip's centre stands in the hole, ready to touch.
  void entered(const Eigen::Vector3d& tip_mm, MonotonicNs now);
  /// It touched, in the direction of the last move.
  void touched(const Eigen::Vector3d& tip_mm, MonotonicNs now);
  /// It went its way and met nothing, or the position can't be used.
  void touch_failed(const std::string& why, MonotonicNs now);
  void abort();
  std::optional<MonotonicNs> deadline() const { return deadline_; }
  void on_deadline(MonotonicNs now);

  State state() const { return state_; }
  bool finished() const { return state_ >= State::done; }
  /// Why it stopped; empty for done.
  const std::string& why() const { return why_; }
  /// What to do next; empty unless approaching or touching. Touching: to the wall and back to the middle.
  std::vector<ProbeMove> moves() const;
  /// Around the moves, and around the way out of the hole, to above_mm().
  HoleRoom room() const;
  /// Above the hole, where the tip is free on all sides.
  Eigen::Vector3d above_mm() const;

  /// The scan less the bias known when it came.
  const HoleCandidate& expected() const { return expected_; }
  /// The circle of the last full round.
  const TouchedHole& hole() const { return hole_; }
  int round() const { return round_; }
  int touches_of_round() const { return round_ == 1 ? settings_.first_touches : settings_.more_touches; }
  const std::vector<Eigen::Vector3d>& touches() const { return touches_; }  // of the round in progress
  /// Over the holes that were done.
  const ScanBias& bias() const { return bias_; }
  /// Standard uncertainty of expected(), (x, y, radius).
  Eigen::Vector3d u_expected_mm() const;

 private:
  void stop(State state, const std::string& why);
  void wait(MonotonicNs now) { deadline_ = now + settings_.timeout_ms * MonotonicNs{1'000'000}; }
  Eigen::Vector3d direction(int touch) const;
  Eigen::Vector3d middle_mm() const;
  double tip_circle_mm() const;
  double reach_mm() const;
  std::string unexpected(const Eigen::Vector3d& tip_mm) const;
  void end_round(MonotonicNs now);
  std::optional<TouchedHole> circle();
  std::string mismatch() const;

  HybridSettings settings_;
  ScanBias bias_;
  State state_ = State::idle;
  std::string why_;
  std::optional<MonotonicNs> deadline_;
  HoleCandidate scanned_, expected_;
  TouchedHole hole_;
  int round_ = 0;
  std::vector<Eigen::Vector3d> touches_;
};

const char* name_of(HybridProbe::State state);

}  // namespace datum
