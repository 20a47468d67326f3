// HybridProbe: scan, then touch (thesis, section 2.7.6; daemon/inspection/METROLOGY.md, S11). A scan gives a
// hole's approximate place; the probe enters it safely and touches its wall; the circle of touches gives its
// place. No I/O, no clock.
//
//   probe.scan(candidate, now);      approach: probe.moves() lead above the hole and into it
//   probe.entered(position, now);    touching: probe.moves() lead from the middle to the wall
//   probe.touched(position, now);    ... 4 touches, then 8 about the found circle, until it converges
//   done | mismatch | guard | no_convergence: probe.why(), probe.hole()
//
// The operator or the driver executes moves() and reports positions. A position that was not expected is
// never accepted: GUARD means stop and inspect.
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
  double depth_mm = 1;    // tip centre below the surface: past the chamfer, within the plate
  double spare_mm = 0.5;  // added to probe radius and 3 u wherever the path must be free
  double eps_mm = 0.005;  // convergence of center and radius: the thesis' last two iterations differ by 0.004
                          // mm
  int first_touches = 4, more_touches = 8;
  int max_rounds = 5;
  int timeout_ms = 60'000;  // for the next entered() or touched()
};

/// Throws FitRefused that states the setting, its value and its allowed range.
void check(const HybridSettings& settings);

struct ProbeMove {
  bool until_contact = false;  // otherwise any contact on the path is a crash
  Eigen::Vector3d to_mm;       // of the tip's centre, machine coordinates
};

/// Free space of the tip's centre around the hole, less 3 standard uncertainties and the spare. Machine
/// coordinates, mm.
struct HoleRoom {
  Eigen::Vector3d surface_mm, normal;  // the hole's center on its surface; out of the material
  double free_mm = 0;                  // radial distance that is surely free
  double touch_mm = 0;                 // largest radial distance of a touch
  double depth_mm = 0, clear_mm = 0;   // inside: free down to this depth; outside: free above this height
};

class HybridProbe {
 public:
  enum class State { idle, approach, touching, done, mismatch, guard, no_convergence };

  explicit HybridProbe(const HybridSettings& settings) : settings_((check(settings), settings)) {}

  /// Starts the next hole. `guard` at once where the probe does not surely fit, or a number of the scan is
  /// not finite.
  void scan(const HoleCandidate& hole, MonotonicNs now);
  /// The tip's centre is in the hole, ready to touch.
  void entered(const Eigen::Vector3d& tip_mm, MonotonicNs now);
  /// The tip touched in the direction of the last move.
  void touched(const Eigen::Vector3d& tip_mm, MonotonicNs now);
  /// The tip completed its move without contact, or the position is not usable.
  void touch_failed(const std::string& why, MonotonicNs now);
  void abort();
  std::optional<MonotonicNs> deadline() const { return deadline_; }
  void on_deadline(MonotonicNs now);

  State state() const { return state_; }
  bool finished() const { return state_ >= State::done; }
  /// Reason of the stop; empty for done.
  const std::string& why() const { return why_; }
  /// The next moves; empty unless approaching or touching. Touching: to the wall and back to the center.
  std::vector<ProbeMove> moves() const;
  /// Around the moves, and around the path out of the hole to above_mm().
  HoleRoom room() const;
  /// Above the hole, where the tip is free in all directions.
  Eigen::Vector3d above_mm() const;

  /// The scan, corrected by the bias known at its arrival.
  const HoleCandidate& expected() const { return expected_; }
  /// The circle of the last complete round.
  const TouchedHole& hole() const { return hole_; }
  int round() const { return round_; }
  int touches_of_round() const { return round_ == 1 ? settings_.first_touches : settings_.more_touches; }
  const std::vector<Eigen::Vector3d>& touches() const { return touches_; }  // of the current round
  /// Over the completed holes.
  const ScanBias& bias() const { return bias_; }
  /// Standard uncertainty of expected() for (x, y, radius).
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
