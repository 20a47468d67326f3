// The folder of calibrations, written: what was accepted is on the disk before anybody is told of it.
#pragma once

#include <filesystem>

#include "calib/calibration.h"
#include "calib/calibration_journal.h"

namespace datum {

class CalibrationArchive {
 public:
  explicit CalibrationArchive(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Writes ID.toml in one step: whole, or not at all. Makes the folder where there is none. Throws
  /// CalibrationError where it can't, or where the id is taken.
  void store(const Calibration& calibration) const;

  /// Adds a line to the journal, durably. A line that an earlier writer did not finish is cut off first: nobody
  /// was told of it. Throws CalibrationError, and has added nothing then, where the journal was changed, is
  /// being written by another process, or can't be written.
  void append(const JournalEntry& entry) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// Writes a whole file: under a hidden name, to the disk, then renamed. Throws CalibrationError naming it.
void write_durably(const std::filesystem::path& file, const std::string& text);

}  // namespace datum
