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
  void confirm_referenced();
  /// A poll goes out: the unit that was told is older by one.
  void round() { ++rounds_; }
  /// $13 may change at any time, and nothing says so: it is asked for until it is known and right, and now and then.
  bool wants_unit() const;

 private:
  LineReading read_report(std::string_view line);
  LineReading read_push(std::string_view line);
  LineReading read_setting(std::string_view line);
  void take_options(std::string_view line);
  void homing();
  LineReading read_probe(std::string_view line) const;
  LineReading check_state(std::string_view state);
  LineReading check_report_unit() const;
  LineReading read_triple(std::string_view text, std::string_view line) const;

  CmmSettings settings_;
  std::optional<std::vector<double>> offset_;  // WCO
  std::optional<bool> inches_;                 // $13
  std::optional<bool> one_by_one_;             // H of [OPT:]: axes may be homed alone ($HX)
  unsigned rounds_ = 0;                        // since it was told
  bool confirmed_ = false;  // by an operator, since the link was opened or the controller reset
  std::string lost_ = "";   // why the position may be lost; empty: it is not
  bool listing_ = false;    // within the answer to $#, whose [PRB:] repeats the last touch
};

}  // namespace datum
