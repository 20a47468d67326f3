// A hybrid measurement as JSON lines: the settings, then one line for each input with its time and with what
// became of it. A log replays: the same inputs through the same code give the same bytes.
#pragma once

#include <stdexcept>
#include <string>

#include "calib/hybrid/hybrid_probe.h"

namespace datum {

/// A line that is no line of such a log: says which, what is wrong and what belongs there.
class HybridLogError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// HybridProbe that writes down what it is told.
class HybridRun {
 public:
  /// Throws FitRefused as check() does.
  explicit HybridRun(const HybridSettings& settings);

  void scan(const HoleCandidate& hole, MonotonicNs now);
  void entered(const Eigen::Vector3d& tip_mm, MonotonicNs now);
  void touched(const Eigen::Vector3d& tip_mm, MonotonicNs now);
  void touch_failed(const std::string& why, MonotonicNs now);
  void abort(MonotonicNs now);
  void on_deadline(MonotonicNs now);

  const HybridProbe& probe() const { return probe_; }
  /// All lines so far, each ended by a line feed.
  const std::string& log() const { return log_; }

 private:
  HybridProbe probe_;
  std::string log_;
};

/// What a run with this log's settings and inputs writes. Equal to `log` byte for byte, or the log was
/// altered or made by another version. Throws HybridLogError.
std::string replay(const std::string& log);

}  // namespace datum
