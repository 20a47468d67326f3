// GRBL 1.1: status reports and pushed messages. What must be held between lines lives here: the work
// coordinate offset, the unit of the reports and whether the position may have been lost.
#pragma once

#include <array>
#include <optional>

#include "drivers/cmm/line_reading.h"

namespace datum {

class GrblReader {
 public:
  explicit GrblReader(const CmmSettings& settings) : settings_(settings) {}

  /// A reading in machine coordinates: MPos as it stands, WPos + held WCO.
  LineReading read(std::string_view line);
  /// Link opened: the held offset and unit are forgotten; a lost reference stays lost.
  void reset();
  /// A line could not be read: it may have carried a new offset.
  void forget_offset() { offset_.reset(); }
  void confirm_referenced() { lost_.clear(); }
  bool unit_known() const { return inches_.has_value(); }

 private:
  LineReading read_report(std::string_view line);
  LineReading read_push(std::string_view line);
  LineReading read_setting(std::string_view line);
  LineReading read_probe(std::string_view line) const;
  LineReading check_state(std::string_view state);
  LineReading check_report_unit() const;
  LineReading read_triple(std::string_view text, std::string_view line) const;

  CmmSettings settings_;
  std::optional<std::vector<double>> offset_;  // WCO
  std::optional<bool> inches_;                 // $13
  std::string lost_ = "";                      // why the position may be lost; empty: it is not
  bool listing_ = false;                       // within the answer to $#, whose [PRB:] repeats the last touch
};

}  // namespace datum
