// A recipe's rules of control charts in the running cell: table [control_charts].
#pragma once

#include <string>
#include <vector>

namespace datum {

struct ChartRules {
  std::string rules;   // as rule_set_of (daemon/rules/rule_watch.h) reads them
  std::string disarm;  // those of them that disarm the cell; empty: none
  std::vector<std::string> components, packages,
      characteristics;  // of the series that are watched; empty: all
};

}  // namespace datum
