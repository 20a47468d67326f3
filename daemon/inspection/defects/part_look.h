// One part of a board looked at, where a check of its place or its word asks for it.
#pragma once

#include <optional>

#include "daemon/inspection/defects/defect_rules.h"
#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

/// A part as it stands in the frame; nothing is looked at before it is asked for. Borrows its inputs.
class PartLook {
 public:
  /// `form`: the board's, for the words of a part whose floor is refused, or lies on the part; null: not looked at.
  PartLook(const Measured& m, const BoardView& view, const PlacementSources& sources, const BoardForm* form)
      : m_(m), view_(view), sources_(sources), form_(form) {}

  bool has_floor() const {
    return m_.site.reason == Reason::none && (m_.floor.reason == Reason::none || form_);
  }
  /// Demands has_floor().
  const PartSeen& seen();
  /// Of a characteristic of its place.
  CheckVerdict check(const Check& check);

 private:
  const Measured& m_;
  const BoardView& view_;
  const PlacementSources& sources_;
  const BoardForm* form_;
  std::optional<PartSeen> seen_;
};

}  // namespace datum
