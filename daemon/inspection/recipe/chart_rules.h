// A recipe's rules of control charts in the running cell: table [control_charts].
#pragma once

#include <string>
#include <vector>

#include "daemon/rules/drift_watch.h"

namespace datum {

struct ChartRules {
  std::string rules;            // as chart_rule_set_of (daemon/rules/rule_watch.h) reads them
  std::string disarm;           // those of them that disarm the cell; empty: none
  quality::DriftRules drift{};  // of the words "ewma" and "cusum" in rules
  std::vector<std::string> components, packages,
      characteristics;  // of the series that are watched; empty: all
};

}  // namespace datum
