// Coplanarity, stand-off and paste against twins with known terminals and deposits, in hostile frames.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/statistics/defect_case.h"

namespace datum::statistics {

/// Unmounted ball grid on its back; mounted gull-wing package; printed deposits.
enum class TerminalCase { balls, leads, paste };
inline constexpr int terminal_case_count = 3;
const char* name_of(TerminalCase c);

struct TerminalTruth {
  /// Of each of the component's checks.
  std::vector<double> values;
  std::optional<Defect> defect;  // of a deposit: missing or bridged
};

struct TerminalScene {
  Recipe recipe;
  HeightFrame frame;
  SensorProfile profile;
  std::vector<TerminalTruth> parts;
};
TerminalScene terminal_scene(TerminalCase which, World world, int frame, std::uint64_t seed);

struct TerminalPlan {
  int frames = 36;  // of each case; the worlds in turn
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::optional<World> world;
  std::optional<TerminalCase> only;
  bool tell = false;
};

/// Errors of one characteristic in one world, over their standard uncertainties.
struct TerminalTally {
  std::vector<double> sigmas;
  int cases = 0, invalid = 0, at_limit_passed = 0, beyond_passed = 0;
  double u = 0;
};

struct TerminalCells {
  std::map<std::pair<Characteristic, World>, TerminalTally> cells;
  int defects = 0, defects_named = 0, defects_passed = 0, good_worded = 0;
};
TerminalCells run_terminals(const TerminalPlan& plan);

/// Prints the cells; the number of shortfalls: coverage of a characteristic in all worlds together below 94 % (a binomial test at 1
/// %), a PASS of what is 1.25 times its limit, more than 5 % PASS at the limit, a bridged or missing deposit that passes.
int print_terminals(const TerminalCells& cells);

}  // namespace datum::statistics
