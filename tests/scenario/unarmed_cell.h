// A cell that waits for a host to arm it, and the number of a command's answer.
#pragma once

#include <string>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {

inline CellOptions unarmed() {
  CellOptions options;
  options.trigger = "bus";
  options.arm_at_start = false;
  options.push_results = false;
  return options;
}

inline int error_of(const std::string& answer) { return std::stoi(answer); }

}  // namespace datum::scenario
