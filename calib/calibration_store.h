// The calibrations of a cell: a folder of TOML files, each identified by its id, and the journal of which one
// is current.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/calibration_journal.h"

namespace datum {

/// From what a calibration leads, in the journal: "sensor", or "sensor/left" for a head's position "left". Each has its current one.
std::string journal_from(const Calibration& calibration);

class CalibrationStore {
 public:
  /// Reads every *.toml of the folder in the order of names. A refused file does not stop the others;
  /// problems() names it. Throws CalibrationError where the folder can't be read. `parser` parses the files;
  /// null: in this process.
  explicit CalibrationStore(const std::filesystem::path& folder, const config::TomlParser* parser = nullptr);

  /// The calibration of this id. Throws CalibrationError where there is none, or where two files claim the
  /// id.
  const Calibration& find(const std::string& id) const;

  /// The calibration for this sensor: of the id `wanted`, or the journal's where `wanted` is "current".
  /// Throws CalibrationError with the remedy where none is current, another one is, it was withdrawn or has
  /// drifted, its file differs from the accepted one, or the journal was changed. An id unknown to the
  /// journal is accepted while nothing is current.
  const Calibration& choose(const std::string& wanted, const std::string& sensor_serial) const;

  /// The current calibrations of this sensor at positions of its head, by their names. Those that choose() would refuse are left
  /// out, each with its reason in `refused`.
  std::vector<Calibration> heads(const std::string& sensor_serial, std::vector<std::string>& refused) const;

  const CalibrationJournal& journal() const { return journal_; }
  /// Why the journal is not valid; empty: it is.
  const std::string& journal_problem() const { return journal_problem_; }
  std::filesystem::path journal_file() const { return folder_ / "journal"; }

  const std::vector<Calibration>& all() const { return all_; }
  /// Refused files with their reasons, and ids claimed by more than one file; one line each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void read_journal();
  const Calibration& chosen(const std::string& wanted, const std::string& from,
                            const std::string& sensor_serial) const;

  std::filesystem::path folder_;
  std::vector<Calibration> all_;
  std::vector<std::string> problems_;
  CalibrationJournal journal_;
  std::string journal_problem_;
};

}  // namespace datum
