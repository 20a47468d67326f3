// Retention as the cell sees it: is there room for another board, is a slice of old results due, is this frame kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/retention/file_retention.h"
#include "daemon/store/retention/result_retention.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// On the loop's thread, but for slice().
class Retention {
 public:
  explicit Retention(const FileRetentionDependencies& parts);

  std::string shortage() const { return files_.shortage(); }
  /// Of a measured board's frame. What is not kept is removed soon.
  bool keeps_frame(Decision decision) const;

  /// A slice may be given to the worker now.
  bool due(MonotonicNs now) const { return slices() && !running_ && now >= next_; }
  void begin() { running_ = true; }
  /// On the thread that stores. Never throws.
  KeepOutcome slice(ResultStore& store, const KeepMoment& moment) const;
  /// What it did; tells when the next one is due.
  void end(const KeepOutcome& outcome, MonotonicNs now);

  /// For the log, since the last call.
  std::vector<std::string> take_notes();
  RetentionSnapshot facts() const;

 private:
  static constexpr MonotonicNs period_ns = 600'000'000'000;  // between two looks for old results
  static constexpr MonotonicNs pause_ns = 100'000'000;       // between two slices

  bool by_age() const { return settings_.results.days || settings_.frames.days || settings_.pictures.days; }
  bool slices() const { return settings_.removes_results() || by_age(); }

  RetentionSettings settings_;
  ResultRetention results_;
  FileRetention files_;
  bool running_ = false;
  MonotonicNs next_ = 0;
  std::string doubt_, unseen_;  // told last
  std::vector<std::string> notes_;
  RetentionSnapshot facts_;      // those of slices
  FileRetentionThread looking_;  // last: it uses the files' keeper
};

}  // namespace datum
