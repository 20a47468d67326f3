// The controller's state in an operator's words.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "daemon/controller/controller_state.h"

namespace datum {

/// One line of `state` for an operator: "MAXN (0); cores 1.20 to 2.20 of 2.20 GHz, performance; ...".
std::string as_text(const ControllerState& state);

/// Says once that the controller is being slowed down, and once that it no longer is.
class ThrottleNews {
 public:
  using Clock = std::chrono::steady_clock;
  struct Line {
    bool warning;
    std::string text;
  };
  /// The line that is due after this sample. It is over where nothing slowed it down for a minute.
  std::optional<Line> hear(const ControllerState& state, Clock::time_point now);

 private:
  bool slowed_ = false;
  Clock::time_point last_;
};

}  // namespace datum
