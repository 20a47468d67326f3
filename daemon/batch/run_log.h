// Who measured which unit, and how long it took: a file for each run, of which no result depends.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

class RunLog {
 public:
  explicit RunLog(std::filesystem::path batch) : batch_(std::move(batch)) {}
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Makes the file with the first line. What can't be written is left out.
  void note(const std::string& key, const std::string& backend, double read_ms, double measure_ms,
            double write_ms);

 private:
  const std::filesystem::path batch_;
  int fd_ = -1;
};

/// A table of the runs of a batch (CSV): key, machine, backend, milliseconds; sorted by key. Lines that a killed run left cut
/// off are passed over.
std::string run_table(const std::filesystem::path& batch);

}  // namespace datum
