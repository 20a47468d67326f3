// HoleProber: what the command protocol asks of a hole that is scanned, then touched. The daemon implements it.
//
//   start -> scan -> enter -> touch ... -> DONE, MISMATCH, GUARD or NO CONVERGENCE
//
// scan(), enter() and touch() are overlapped as a trigger is. The probe is moved by whoever has it in hand, and
// positions and touches are read; a machine that may move by itself enters and touches when it is told to. A
// command is refused by throwing scpi::Error.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// Where the drawing expects the hole, machine coordinates, and how far off it may be.
struct HoleOrder {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();  // on the surface
  double radius_mm = 0, search_mm = 0, radius_tolerance_mm = 0;
};

struct HoleMove {
  bool until_contact = false;                       // otherwise any contact on the way is a crash
  Eigen::Vector3d to_mm = Eigen::Vector3d::Zero();  // of the tip's centre, as the machine's scales read it
};

/// How a hole ended. Machine coordinates; no number is one where no round of touches was whole.
struct HoleResult {
  std::string state, why;
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();
  double radius_mm = 0;
  Eigen::Vector3d u_mm = Eigen::Vector3d::Zero();  // standard uncertainty of x, y, radius
  double form_mm = 0;                              // largest distance of a touch from the circle
  int touches = 0;
  std::string calibration, calibration_sha256, frame, frame_sha256, log;
};

class HoleProber {
 public:
  virtual ~HoleProber() = default;

  /// -221 armed, a calibration or a hole is in progress; -241 the configuration has no [holes]; -340 no calibration
  /// that may be used.
  virtual void start(const HoleOrder& order) = 0;
  /// The next frame shows the hole. -221 not started.
  virtual void scan() = 0;
  /// The tip stands still in the hole, where moves() leads.
  virtual void enter() = 0;
  /// The next touch is one of its wall.
  virtual void touch() = 0;
  /// Ends the hole in progress, and forgets what earlier ones said of the scan's bias. Never refuses.
  virtual void abort() = 0;

  /// IDLE, STARTED, SCANNING, APPROACH, TOUCHING, DONE, MISMATCH, GUARD or NO CONVERGENCE.
  virtual std::string step() const = 0;
  /// What happened and what is to be done next, one line each, for an operator.
  virtual std::vector<std::string> report() const = 0;
  /// What to do with the probe next; empty unless in APPROACH or TOUCHING.
  virtual std::vector<HoleMove> moves() const = 0;
  /// Of the last hole; none while it is in progress.
  virtual std::optional<HoleResult> result() const = 0;
};

}  // namespace datum
