// The state of the controller as text for an operator.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "daemon/controller/controller_state.h"

namespace datum {

/// One line: "MAXN (0); cores 1.20 to 2.20 of 2.20 GHz, performance; ...".
std::string as_text(const ControllerState& state);

/// Reports once that the controller begins to throttle, and once that it has stopped.
class ThrottleNews {
 public:
  using Clock = std::chrono::steady_clock;
  struct Line {
    bool warning;
    std::string text;
  };
  /// The line that this sample causes; none: no change. Throttling ends after one minute without a cause.
  std::optional<Line> hear(const ControllerState& state, Clock::time_point now);

 private:
  bool slowed_ = false;
  Clock::time_point last_;
};

}  // namespace datum
