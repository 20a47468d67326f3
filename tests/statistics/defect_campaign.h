// Words of [defects] against known defects, and places of parts against known places.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/statistics/defect_case.h"

namespace datum::statistics {

struct DefectPlan {
  int frames = 60;  // of each size
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::vector<std::string> sizes;  // none: all
  bool tell = false;               // print each part that is named wrong
  std::optional<World> world;      // none: all of them in turn, the worst one every second frame
};

struct WordTally {
  int cases = 0, right = 0, passed = 0;
  std::map<std::string, int> others;  // "shifted", "FAIL", "INVALID FLOOR_SIDES", ...
};

/// Errors over their standard uncertainties.
struct PlaceTally {
  std::vector<double> x, y, rotation;  // of values that were given
  int cases = 0, invalid = 0;
  double u_um = 0, u_mdeg = 0;  // sums
};

struct DefectCells {
  const PartSize* size = nullptr;
  std::map<Defect, WordTally> words;  // by the true defect
  int good = 0, good_worded = 0, good_invalid = 0;
  std::map<std::string, int> good_others;
  std::array<PlaceTally, world_count> places;
};

DefectCells run_defects(const PartSize& size, const DefectPlan& plan);

/// Prints the matrix and the coverage; the number of shortfalls: a cell below 98 % right (by a binomial test at 1 %), a defect
/// that passed, more than 0.5 % false words, a coverage outside 94 to 97 % (the same test).
int print_defects(const std::vector<DefectCells>& cells);

}  // namespace datum::statistics
