// The journal of a folder of calibrations: which one is current, since when and by whom. It parses text and
// performs no I/O.
// One JSON object per line, append-only. Each line carries the SHA-256 of itself and of the previous line, so
// that a changed, removed or moved line is detected. Lines cut off at the end are not detected: the journal
// then equals an earlier state of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calib/htm.h"

namespace datum {

enum class JournalEvent : std::uint8_t {
  accept,    // current from now on, replacing the one before
  withdraw,  // no longer current; none is
  drift,     // a verification found that it no longer holds
  verified,  // a verification found that it holds (again)
};
const char* name_of(JournalEvent event);

struct JournalEntry {
  JournalEvent event = JournalEvent::accept;
  std::string utc;  // ISO 8601 to the second
  std::string to, from, sensor_serial;
  std::string calibration, sha256;  // id, and the checksum of its content
  std::string operator_name;
  std::string note;  // result or reason, as text

  std::uint64_t number = 0;    // from 1; assigned by the journal
  std::string previous, hash;  // assigned by the journal
};

/// The one calibration of a sensor that may be measured with.
struct CurrentCalibration {
  std::string calibration, sha256, since;
  bool drifted = false;
  std::string note;  // of the last verification; empty if none
};

class CalibrationJournal {
 public:
  CalibrationJournal() = default;
  /// `name` stands for the file in messages. Throws CalibrationError that names the wrong line and the
  /// remedy.
  CalibrationJournal(std::string_view text, const std::string& name);

  const std::vector<JournalEntry>& entries() const { return entries_; }
  /// Bytes up to the last line end. A partial line behind it was never acknowledged.
  std::size_t whole_bytes() const { return whole_bytes_; }

  std::optional<CurrentCalibration> current(const std::string& to, const std::string& from,
                                            const std::string& sensor_serial) const;
  /// Newest entry that accepts this calibration; null if none.
  const JournalEntry* acceptance_of(const std::string& calibration) const;

  /// Adds the entry; returns its line with line end, to be appended to the file.
  std::string append(JournalEntry entry);

 private:
  std::vector<JournalEntry> entries_;
  std::size_t whole_bytes_ = 0;
};

}  // namespace datum
