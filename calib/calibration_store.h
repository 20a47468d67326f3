// The calibrations of a cell: a folder of TOML files, one per calibration, each known by its id.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/calibration.h"

namespace datum {

class CalibrationStore {
 public:
  /// Reads every *.toml of the folder, in the order of their names. A file that is refused does not stop the
  /// others: it is named in problems(). Throws CalibrationError where the folder can't be read.
  explicit CalibrationStore(const std::filesystem::path& folder);

  /// The one calibration of this id. Throws CalibrationError where there is none, or where two files claim
  /// the id.
  const Calibration& find(const std::string& id) const;

  const std::vector<Calibration>& all() const { return all_; }
  /// Why files were refused, and ids that more than one file claims; one line each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::filesystem::path folder_;
  std::vector<Calibration> all_;
  std::vector<std::string> problems_;
};

}  // namespace datum
