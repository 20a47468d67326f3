// The journal of a folder of calibrations: which one is current, since when and by whom. Text in, values out.
//
// One JSON object a line, only ever appended to. Each line carries the SHA-256 of itself and of the line before,
// so that a line that was changed, taken out or moved is seen. Lines cut off at the end are not: the journal is
// then an earlier one of itself.
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
  accept,    // it is current from now on, in place of the one before
  withdraw,  // it is not current any more; none is
  drift,     // a verification found that it does not hold any more
  verified,  // a verification found that it holds (again)
};
const char* name_of(JournalEvent event);

struct JournalEntry {
  JournalEvent event = JournalEvent::accept;
  std::string utc;  // ISO 8601 to the second
  std::string to, from, sensor_serial;
  std::string calibration, sha256;  // its id and the checksum of its content
  std::string operator_name;
  std::string note;  // what was measured, or why

  std::uint64_t number = 0;    // from 1; given by the journal
  std::string previous, hash;  // given by the journal
};

/// The one calibration of a pair of coordinate systems and a sensor that may be measured with.
struct CurrentCalibration {
  std::string calibration, sha256, since;
  bool drifted = false;
  std::string note;  // of the last verification; empty where there was none
};

class CalibrationJournal {
 public:
  CalibrationJournal() = default;
  /// `name` stands for the file in messages. Throws CalibrationError naming the line that is wrong and what to
  /// do.
  CalibrationJournal(std::string_view text, const std::string& name);

  const std::vector<JournalEntry>& entries() const { return entries_; }
  /// Bytes up to the last line end. What follows was being written when its writer died: nobody was told of it.
  std::size_t whole_bytes() const { return whole_bytes_; }

  std::optional<CurrentCalibration> current(const std::string& to, const std::string& from,
                                            const std::string& sensor_serial) const;
  /// Newest entry that accepts this calibration.
  const JournalEntry* acceptance_of(const std::string& calibration) const;

  /// Takes the entry in as the next one; returns its line with the line end, to be appended to the file.
  std::string append(JournalEntry entry);

 private:
  std::vector<JournalEntry> entries_;
  std::size_t whole_bytes_ = 0;
};

}  // namespace datum
