// PositionWatch: plausibility of successive positions: a jump, a frozen value, the first ones after opening
// the link.
#pragma once

#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

class PositionWatch {
 public:
  explicit PositionWatch(const WatchSettings& settings) : settings_(settings) {}

  /// The link was opened: the next position is the first. An earlier jump remains in effect.
  void reset();
  /// Checks a position and its times. Sets its state to not_referenced, stale or none_yet, with the reason,
  /// where it is not plausible. A position that is not ok is left unchanged.
  void look_at(ProbePoint& point);
  /// An operator confirms that the position is valid again.
  void confirm_referenced() { jumped_.clear(); }

 private:
  void look_for_jump(const ProbePoint& point);

  WatchSettings settings_;
  ProbePoint before_;
  int seen_ = 0;   // since the link opened
  int equal_ = 0;  // in a row
  std::string jumped_ = "";
};

}  // namespace datum
