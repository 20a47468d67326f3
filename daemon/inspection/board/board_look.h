// One frame of a board with its floors and bodies; a board of several snapshots has several, and rows and warp come from all.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daemon/inspection/board/board_in_hand.h"
#include "daemon/inspection/board/board_warp.h"
#include "daemon/inspection/registration/height_lattice.h"

namespace datum {

/// Borrows both; the board is measured.
struct BoardLook {
  BoardInHand& hand;
  const HeightFrame& frame;
  FrameNoise noise;
  const std::vector<Site>& sites() const { return hand.planned->sites; }
};

/// No look shows a site.
inline constexpr std::size_t not_shown = static_cast<std::size_t>(-1);

/// The board's own form from all looks, site i as look shown_in[i] has it; none: the recipe does not want it. Adds to the
/// verdict's backend who computed it.
std::optional<BoardWarp> warp_over(std::span<const BoardLook* const> looks,
                                   const std::vector<std::size_t>& shown_in, const InspectionInputs& in,
                                   const SnapshotSteps& steps, BoardVerdict& v);

/// A component's row, as this look has it. Puts the warp in place of a refused ring where the recipe allows it. `bare`: the
/// bare board's form, where the recipe names defects; null: it does not.
ComponentVerdict judge_component(const BoardLook& look, std::size_t component,
                                 const std::optional<BoardWarp>& warp, const BoardForm* bare);

/// The frame, smoothed by the recipe's filter.
HeightFrame filtered_for(const HeightFrame& frame, const InspectionInputs& in);

}  // namespace datum
