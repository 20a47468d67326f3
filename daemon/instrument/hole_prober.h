// HoleProber: the interface of the command protocol to a hole that is scanned, then touched. The daemon implements it.
//
//   start -> scan -> enter -> touch ... -> DONE, MISMATCH, GUARD or NO CONVERGENCE
//
// scan(), enter() and touch() are overlapped like trigger(). An operator moves the probe, and positions and touches are
// read; a machine that may move by itself enters and touches on command. A refusal is thrown as scpi::Error. All calls
// come from the loop's thread.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// The expected hole by its drawing, in machine coordinates, and its tolerances.
struct HoleOrder {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();  // on the surface
  double radius_mm = 0, search_mm = 0, radius_tolerance_mm = 0;
};

struct HoleMove {
  bool until_contact = false;                       // otherwise any contact on the way is a collision
  Eigen::Vector3d to_mm = Eigen::Vector3d::Zero();  // centre of the tip, in the machine's scale readings
};

/// The outcome, in machine coordinates. Numbers are NaN without a complete round of touches.
struct HoleResult {
  std::string state, why;
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();
  double radius_mm = 0;
  Eigen::Vector3d u_mm = Eigen::Vector3d::Zero();  // standard uncertainty of x, y and radius
  double form_mm = 0;                              // largest distance of a touch from the fitted circle
  int touches = 0;
  std::string calibration, calibration_sha256, frame, frame_sha256, log;
};

class HoleProber {
 public:
  virtual ~HoleProber() = default;

  /// -221 armed, a calibration or a hole is in progress; -241 the configuration has no [holes]; -340 no usable
  /// calibration.
  virtual void start(const HoleOrder& order) = 0;
  /// The next frame is taken as the scan of the hole. -221 not started.
  virtual void scan() = 0;
  /// The tip stands still in the hole, at the end of moves().
  virtual void enter() = 0;
  /// The next touch belongs to the wall of the hole.
  virtual void touch() = 0;
  /// Ends the hole in progress and discards the bias of the scan learnt from earlier holes. Never refuses.
  virtual void abort() = 0;

  /// IDLE, STARTED, SCANNING, APPROACH, TOUCHING, DONE, MISMATCH, GUARD or NO CONVERGENCE.
  virtual std::string step() const = 0;
  /// Completed and next steps, one line each, for an operator.
  virtual std::vector<std::string> report() const = 0;
  /// Next moves of the probe; empty unless in APPROACH or TOUCHING.
  virtual std::vector<HoleMove> moves() const = 0;
  /// The outcome of the last hole; none while one is in progress.
  virtual std::optional<HoleResult> result() const = 0;
};

}  // namespace datum
