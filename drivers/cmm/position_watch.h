// PositionWatch: what positions in a row say about each other: a jump, a frozen value, the first ones after the
// link opened.
#pragma once

#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

class PositionWatch {
 public:
  explicit PositionWatch(const WatchSettings& settings) : settings_(settings) {}

  /// The link was opened: the next position is the first. A jump seen before stays seen.
  void reset();
  /// Takes a position with its times; turns its state into not_referenced, stale or none_yet, with the reason,
  /// where it is not to be believed. A position that is not ok is left as it is.
  void look_at(ProbePoint& point);
  /// An operator states that the position is right again.
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
