// Results of single placements, kept in a file so that a campaign goes on where it ended.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace datum::statistics {

/// What one placement showed. Errors are those of a board that was found as designed; NaN: none.
struct PlacementResult {
  enum class Kind {
    designed,
    unmarked,
    turned,
    foreign,
    beyond
  };  // unmarked: designed, with too few whole marks or holes, or stretched about as much as the recipe allows; beyond: by more
  Kind kind = Kind::designed;
  bool placed = false, named = false, passed = false;
  double cpu_ms = 0;
  std::vector<double> errors;  // off_um, off_mdeg, own_um, own_mdeg; empty: not found
  std::vector<double>
      sigmas;        // x, y, rotation, and of a stretch three numbers, over their standard uncertainty
  std::string text;  // of a board that was missed, or wrongly passed
};

/// One line of JSON for each result, behind a line that states the plan. Lines are appended and flushed; a last line that is cut off is
/// left out when the file is read, and measured again.
class PlacementRecord {
 public:
  /// An empty path keeps nothing. Throws std::runtime_error where the file is of another plan, or cannot be read or written.
  PlacementRecord(std::filesystem::path file, const std::string& plan);
  /// Null: not measured yet.
  const PlacementResult* find(const std::string& board, int number) const;
  void add(const std::string& board, int number, const PlacementResult& result);

 private:
  std::filesystem::path file_;
  std::map<std::pair<std::string, int>, PlacementResult> known_;
  std::mutex guard_;
};

}  // namespace datum::statistics
