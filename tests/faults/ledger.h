// Deliveries to a cell and its announcements, recorded outside of it by value. Every fault ends with these checks: no
// announced result is lost or altered, no sequence number repeats, no PASS without a measured part, each delivered frame
// has a result or a place in the drop folder, and the chain of results is intact.
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

/// Height of a board's box in um. Two of three boards are good: 470 to 530, the others are near 700. Boards within 20 of
/// each other differ by at least 3 um.
double height_of_um(int board);
/// The verdict by the recipe under any fault: "PASS" or "FAIL".
std::string truth_of(int board);
/// Name of a board's frame, and its inverse. Throws std::invalid_argument.
std::string name_of_frame(int board);
int board_of(const std::string& frame);

/// The expected result of a board's box.
struct Truth {
  double height_um = 0;
  std::string decision;
};

class Ledger {
 public:
  Ledger() { another_tolerance_um(); }
  virtual ~Ledger() = default;
  /// Moves a board's frame into the drop folder by a rename.
  void deliver(const scenario::Cell& cell, int board);
  /// Records a board whose frame is delivered already.
  void delivered(int board) { delivered_.insert(board); }
  /// Records what lies in work/ of a daemon that was killed: after the second kill it no longer measures such a frame.
  void killed(const scenario::Cell& cell);
  /// Records a received line R,... Contradictions with earlier lines are kept for check().
  virtual void announced(const std::string& line);
  std::size_t announcements() const { return lines_.size(); }
  int boards() const { return static_cast<int>(delivered_.size()); }

  /// A new tolerance of the recipe in um; results are checked against both. All boards keep their truth.
  double another_tolerance_um();

  /// An INVALID result is accepted, where a fault blocks reading the frame or the store.
  bool invalid_is_fine = false;
  /// Frames may wait while the cell is disarmed, and are FRAME_EARLY after it is armed.
  bool early_is_fine = false;
  /// Such a frame may be in failed/ without a result: its board was aborted.
  bool may_be_refused = false;

  /// False where frames need a trigger: frames in the drop folder then stay there.
  bool measures_what_is_left = true;

  bool is_early(const nlohmann::json& result) const;
  /// INVALID, because the daemon was killed twice and more while it had the frame in work.
  bool is_given_up(const nlohmann::json& result) const;

  /// Restarts the daemon without faults, lets it measure the remaining frames, reads every result and stops it.
  void check(scenario::Cell& cell, Findings& findings);

 protected:
  /// Adds a recipe's text that results may name, with its tolerance.
  void knows_recipe(const std::string& text, double tolerance_um);
  virtual std::string frame_of(int board) const;
  virtual Truth truth(int board, const nlohmann::json& result) const;
  /// Called for each stored result before its comparison with the truth.
  virtual void look(const nlohmann::json& result, Findings& findings) const;

 private:
  using Lines = std::map<std::uint64_t, std::string>;
  void check_lines(const Lines& told, Findings& findings) const;
  void check_results(const nlohmann::json& results, const Lines& told, Findings& findings) const;
  void check_frames(const scenario::Cell& cell, const nlohmann::json& results, Findings& findings) const;
  void check_store(const scenario::Cell& cell, Findings& findings) const;

  std::set<int> delivered_;
  int tolerances_ = 0;
  std::map<std::string, double> tolerances_um_;  // by SHA-256 of the recipe's text
  Lines lines_;
  std::vector<std::string> contradictions_;
  std::map<int, int> kills_;  // with the board's frame in work
};

/// The sequence number of a line R,...; throws plc::ProtocolError.
std::uint64_t sequence_of(const std::string& line);

/// Waits until the drop folder and work/ hold no frame. False: timeout, or the daemon ended.
bool settle(scenario::Cell& cell);

/// Every result of the daemon, delivered again from the first one on.
std::map<std::uint64_t, std::string> tell_all(scenario::Host& host);

}  // namespace datum::faults
