// One part of a board looked at, where a check of its place or its word asks for it.
#pragma once

#include <optional>

#include "daemon/inspection/defects/defect_rules.h"
#include "daemon/inspection/defects/part_terminals.h"
#include "daemon/inspection/defects/paste_deposit.h"
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
  /// Of a characteristic of its place, its terminals or its paste; `top`: top_noise_of().
  CheckVerdict check(const Check& check, const TopNoise& top);
  /// The word of a deposit of paste: missing or bridged; none: another component, or neither.
  std::optional<DefectEvidence> word_of_paste(const std::vector<CheckVerdict>& checks);

  const TerminalsSeen& terminals();
  const PasteSeen& paste();

 private:
  PartScene scene() const { return {m_.recipe, m_.frame, view_, m_.component, m_.site, m_.floor}; }

  const Measured& m_;
  const BoardView& view_;
  const PlacementSources& sources_;
  const BoardForm* form_;
  std::optional<PartSeen> seen_;
  std::optional<TerminalsSeen> terminals_;
  std::optional<PasteSeen> paste_;
};

}  // namespace datum
