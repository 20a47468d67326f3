// The files of a run of holes: the log that replays, and what each scan in it was taken from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "calib/hybrid/hybrid_log.h"

namespace datum {

/// A file that can't be written; the text names it.
class HoleLogError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class HoleLog {
 public:
  /// Begins FOLDER/hole_TIME.jsonl; makes the folder. A name that is taken is not: TIME~2, ... Throws HoleLogError.
  void begin(const std::filesystem::path& folder, const std::string& utc);
  /// Appends what the run has said since. Throws HoleLogError; what is missing then comes with the next.
  void write(const HybridRun& run);
  /// A line to FOLDER/hole_TIME.sources: which frame and calibration the next scan is made of. Throws HoleLogError.
  void source(const std::string& line) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::size_t written_ = 0;  // bytes
};

}  // namespace datum
