// Parser of GRBL 1.1 status reports and push messages, with the state between lines: work coordinate offset,
// unit of the reports, possible loss of the position.
#pragma once

#include <array>
#include <optional>

#include "drivers/cmm/line_reading.h"

namespace datum {

class GrblReader {
 public:
  explicit GrblReader(const CmmSettings& settings) : settings_(settings) {}

  /// A reading in machine coordinates: MPos, or WPos + stored WCO.
  LineReading read(std::string_view line);
  /// Link opened: clears the stored offset and unit; a lost reference stays lost.
  void reset();
  /// For an unreadable line, which may have carried a new offset.
  void forget_offset() { offset_.reset(); }
  void confirm_referenced();
  /// A poll is sent: the reported unit ages by one round.
  void round() { ++rounds_; }
  /// $13 may change at any time without a message. It is requested until it is known and correct, and
  /// periodically.
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
  std::optional<bool> one_by_one_;             // H of [OPT:]: axes can be homed individually ($HX)
  unsigned rounds_ = 0;                        // since the last report of the unit
  bool confirmed_ = false;  // by an operator, since the link was opened or the controller was reset
  std::string lost_ = "";   // why the position may be lost; empty: it is valid
  bool listing_ = false;    // within the answer to $#, whose [PRB:] repeats the last touch
};

}  // namespace datum
