// Boards that show which calibration measured them: each has four boxes of other heights, and a calibration puts one of them
// under the recipe's only component. And which calibration was in force between a board's delivery and its result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "tests/faults/ledger.h"

namespace datum::faults {

class CalibratedLedger final : public Ledger {
 public:
  CalibratedLedger();

  /// The recipe of such a cell, in machine coordinates.
  static std::string recipe_text();
  /// A calibration as no other one, of the box in one of the quarters 0 to 3 of the frame. Its hash is known from here on.
  Calibration another(const std::string& id, unsigned quarter);

  /// What the cell is told to measure with now, by its hash; "": one that must not be used.
  void tells(const std::string& sha256);
  /// It has that: boards that are delivered from now on are measured by nothing that was told before.
  void in_force();

  void announced(const std::string& line) override;

 protected:
  std::string frame_of(int board) const override;
  Truth truth(int board, const nlohmann::json& result) const override;
  void look(const nlohmann::json& result, Findings& findings) const override;

 private:
  std::vector<std::string> told_;
  std::map<int, std::size_t> since_;     // from this board on: told_ of this index, or a later one
  std::map<int, std::size_t> until_;     // of an announced board: the last one that it can be of
  std::map<std::string, int> quarters_;  // by the calibration's hash
};

}  // namespace datum::faults
