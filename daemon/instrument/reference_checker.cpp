#include "daemon/instrument/reference_checker.h"

#include <algorithm>

namespace datum {

const char* name_of(CheckState s) {
  switch (s) {
    case CheckState::none:
      return "NONE";
    case CheckState::valid:
      return "VALID";
    case CheckState::overridden:
      return "OVERRIDDEN";
    case CheckState::due:
      return "DUE";
    case CheckState::check:
      return "CHECK";
    case CheckState::failed:
      return "FAILED";
  }
  return "?";
}

CheckState worst_of(const std::vector<CheckStatus>& checks) {
  CheckState worst = CheckState::none;
  for (const CheckStatus& c : checks) worst = std::max(worst, c.state);
  return worst;
}

}  // namespace datum
