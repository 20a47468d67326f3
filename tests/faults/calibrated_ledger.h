// Boards that reveal which calibration measured them: each has four boxes of different heights, and a calibration places
// one of them under the recipe's only component. Also records the calibration in force between delivery and result.
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

  /// The recipe of this cell, in machine coordinates.
  static std::string recipe_text();
  /// A unique calibration for the box in quarter 0 to 3 of the frame. Its hash is recorded.
  Calibration another(const std::string& id, unsigned quarter);

  /// Records the hash of the calibration that the cell was ordered to use; "": an unusable one.
  void tells(const std::string& sha256);
  /// The order is in force: boards delivered from now on are measured with this calibration or a later one.
  void in_force();

  void announced(const std::string& line) override;

 protected:
  std::string frame_of(int board) const override;
  Truth truth(int board, const nlohmann::json& result) const override;
  void look(const nlohmann::json& result, Findings& findings) const override;

 private:
  std::vector<std::string> told_;
  // By board, inclusive: index in told_ of the earliest possible calibration.
  std::map<int, std::size_t> since_;
  std::map<int, std::size_t> until_;     // by announced board: index of the latest possible calibration
  std::map<std::string, int> quarters_;  // by hash of the calibration
};

}  // namespace datum::faults
