// A study that is measured through the cell: its plan and one record per result, as JSON lines in a file that only grows. A line is on the
// disk before the next board is asked for; a line that a power cut has left incomplete is dropped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/quality/study/study_plan.h"

namespace datum::quality {

struct StudyRecord {
  std::size_t run = 0;  // from 0, in the order of runs()
  int attempt = 0;      // from 1
  std::uint64_t result = 0;
  std::string chain_sha256, decision, measured_at, unit_id;
  std::string recipe_sha256, calibration_sha256, code, frame_sha256;
};

class StudyFile {
 public:
  /// Writes a new file. Throws StudyRefused: a file of this id, a wrong id, too few or equal names; std::system_error.
  static StudyFile create(const std::filesystem::path& folder, const StudyPlan& plan);
  /// Throws StudyRefused "FILE:LINE: what", also where there is none.
  static StudyFile open(const std::filesystem::path& folder, const std::string& id);

  const StudyPlan& plan() const { return plan_; }
  const std::vector<PlannedRun>& runs() const { return runs_; }
  const std::vector<StudyRecord>& records() const { return records_; }
  const std::filesystem::path& path() const { return path_; }

  /// The run to be measured now; none: the study is complete. A run ends with a result that is not INVALID, or its last attempt.
  std::optional<std::size_t> next() const;
  int attempts_of(std::size_t run) const;

  /// Adds the record of the next run; run and attempt are set here. Throws StudyRefused where the result can't be that of this run: an
  /// earlier or known one, another recipe, calibration, code or unit, or a frame that was recorded before.
  void add(StudyRecord record);

 private:
  StudyFile() = default;
  void demand(const StudyRecord& record, const PlannedRun& run) const;

  std::filesystem::path path_;
  std::size_t whole_ = 0;  // bytes of complete lines
  StudyPlan plan_;
  std::vector<PlannedRun> runs_;
  std::vector<StudyRecord> records_;
};

/// Ids of the studies in a folder; none where it does not exist.
std::vector<std::string> studies_in(const std::filesystem::path& folder);

}  // namespace datum::quality
