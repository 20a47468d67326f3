// The calibrations of a cell: a folder of TOML files, one per calibration, each known by its id, and the journal
// that says which one is current.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/calibration_journal.h"

namespace datum {

class CalibrationStore {
 public:
  /// Reads every *.toml of the folder, in the order of their names. A file that is refused does not stop the
  /// others: it is named in problems(). Throws CalibrationError where the folder can't be read. `parser` parses them; null: this
  /// process.
  explicit CalibrationStore(const std::filesystem::path& folder, const config::TomlParser* parser = nullptr);

  /// The one calibration of this id. Throws CalibrationError where there is none, or where two files claim
  /// the id.
  const Calibration& find(const std::string& id) const;

  /// The one that this sensor is measured with: of the id `wanted`, or the journal's where that is "current".
  /// Throws CalibrationError with the remedy: none is current, another one is, it was withdrawn, it has drifted,
  /// its file is not the one that was accepted, or the journal was changed. An id that the journal does not
  /// know is taken as long as nothing is current.
  const Calibration& choose(const std::string& wanted, const std::string& sensor_serial) const;

  const CalibrationJournal& journal() const { return journal_; }
  /// Why the journal can't be believed; empty: it can.
  const std::string& journal_problem() const { return journal_problem_; }
  std::filesystem::path journal_file() const { return folder_ / "journal"; }

  const std::vector<Calibration>& all() const { return all_; }
  /// Why files were refused, and ids that more than one file claims; one line each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void read_journal();

  std::filesystem::path folder_;
  std::vector<Calibration> all_;
  std::vector<std::string> problems_;
  CalibrationJournal journal_;
  std::string journal_problem_;
};

}  // namespace datum
