// What a cell was given and what it announced, kept outside of it and by value; and the questions that every
// fault ends with: is any announced result lost or altered, is a number given twice, is a PASS of a part that was
// not measured, has a delivered frame neither a result nor its place in the drop folder, is the chain of results whole.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/faults/fault.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::faults {

/// Height of a board's box in um. Two of three boards are good: 470 to 530, the others are near 700; boards that
/// come within 20 of each other differ by 3 um at least.
double height_of_um(int board);
/// What the recipe says of it whatever the cell goes through: "PASS" or "FAIL".
std::string truth_of(int board);
/// Its frame's name, and back. Throws std::invalid_argument.
std::string name_of_frame(int board);
int board_of(const std::string& frame);

/// What a result must say of its board's box.
struct Truth {
  double height_um = 0;
  std::string decision;
};

class Ledger {
 public:
  Ledger() { another_tolerance_um(); }
  virtual ~Ledger() = default;
  /// Puts a board's frame into the drop folder, in one step.
  void deliver(const scenario::Cell& cell, int board);
  /// A board whose frame is there already.
  void delivered(int board) { delivered_.insert(board); }
  /// A line R,... as a host received it. What does not agree with an earlier line is kept for check().
  virtual void announced(const std::string& line);
  std::size_t announcements() const { return lines_.size(); }
  int boards() const { return static_cast<int>(delivered_.size()); }

  /// Another tolerance of the recipe than the one before, in um; results are checked against both. All boards keep
  /// their truth.
  double another_tolerance_um();

  /// A result INVALID is an answer, too: where a fault keeps the frame or the store from being read.
  bool invalid_is_fine = false;
  /// Frames wait in the drop folder while the cell is disarmed, and are FRAME_EARLY once it is armed again.
  bool early_is_fine = false;
  /// Such a frame may lie in failed/ without a result: its board was aborted.
  bool may_be_refused = false;

  /// Off where frames need a trigger: what lies in the drop folder then stays there.
  bool measures_what_is_left = true;

  bool is_early(const nlohmann::json& result) const;

  /// Starts the daemon once more, undisturbed, lets it measure what is left, asks for every result and stops it.
  void check(scenario::Cell& cell, Findings& findings);

 protected:
  /// A recipe's text that results may name, with the tolerance in it.
  void knows_recipe(const std::string& text, double tolerance_um);
  virtual std::string frame_of(int board) const;
  virtual Truth truth(int board, const nlohmann::json& result) const;
  /// Each stored result, before it is compared with the truth.
  virtual void look(const nlohmann::json& result, Findings& findings) const;

 private:
  using Lines = std::map<std::uint64_t, std::string>;
  void check_lines(const Lines& told, Findings& findings) const;
  void check_results(const nlohmann::json& results, const Lines& told, Findings& findings) const;
  void check_frames(const scenario::Cell& cell, const nlohmann::json& results, Findings& findings) const;
  void check_store(const scenario::Cell& cell, Findings& findings) const;

  std::set<int> delivered_;
  int tolerances_ = 0;
  std::map<std::string, double> tolerances_um_;  // by the SHA-256 of the recipe's text
  Lines lines_;
  std::vector<std::string> contradictions_;
};

/// The sequence of a line R,...; throws plc::ProtocolError.
std::uint64_t sequence_of(const std::string& line);

/// Waits until no frame is left in the drop folder or in work/. False: time was over, or the daemon ended.
bool settle(scenario::Cell& cell);

/// Every result that the daemon has, told once more from the first one on.
std::map<std::uint64_t, std::string> tell_all(scenario::Host& host);

}  // namespace datum::faults
