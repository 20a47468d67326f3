// A hybrid measurement as JSON lines: the settings, then one line per input with its time and its result.
// Re-running a log through the same code gives the same bytes.
#pragma once

#include <stdexcept>
#include <string>

#include "calib/hybrid/hybrid_probe.h"

namespace datum {

/// A line that does not belong to such a log; the text states the line, the fault and the expected content.
class HybridLogError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// HybridProbe that records its inputs.
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

/// The log that a run with this log's settings and inputs writes. It differs from `log` where the log was
/// altered or written by another version. Throws HybridLogError.
std::string replay(const std::string& log);

}  // namespace datum
