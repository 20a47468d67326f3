// Retention for the cell: whether there is space for another board, whether a slice is due, and whether a frame is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/retention/file_retention.h"
#include "daemon/store/retention/result_retention.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// Called from the loop's thread, except slice().
class Retention {
 public:
  explicit Retention(const FileRetentionDependencies& parts);

  std::string shortage() const { return files_.shortage(); }
  /// Whether the frame of a measured board is kept. Other frames are removed soon.
  bool keeps_frame(Decision decision) const;

  /// True: the worker may run a slice now.
  bool due(MonotonicNs now) const { return slices() && !running_ && now >= next_; }
  void begin() { running_ = true; }
  /// Called in the storing thread. Never throws.
  KeepOutcome slice(ResultStore& store, const KeepMoment& moment) const;
  /// Stores the outcome of a slice, and schedules the next one.
  void end(const KeepOutcome& outcome, MonotonicNs now);

  /// Lines for the log since the last call.
  std::vector<std::string> take_notes();
  RetentionSnapshot facts() const;

 private:
  static constexpr MonotonicNs period_ns = 600'000'000'000;  // between two searches for old results
  static constexpr MonotonicNs pause_ns = 100'000'000;       // between two slices

  bool by_age() const { return settings_.results.days || settings_.frames.days || settings_.pictures.days; }
  bool slices() const { return settings_.removes_results() || by_age(); }

  RetentionSettings settings_;
  ResultRetention results_;
  FileRetention files_;
  bool running_ = false;
  MonotonicNs next_ = 0;
  std::string doubt_, unseen_;  // last reported ones
  std::vector<std::string> notes_;
  RetentionSnapshot facts_;      // of slices
  FileRetentionThread looking_;  // last member: it uses the worker that removes files
};

}  // namespace datum
