// One place of a board that several snapshots show, and whether each of them shows that board.
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/board/board_in_hand.h"

namespace datum {

/// A snapshot's board as the recipe and the stage's position put it. Borrowed.
struct StatedSnapshot {
  const BoardInHand& hand;
  const HeightFrame& frame;
  std::string words;  // "snapshot 3 of 12 (left)"
  std::string name;
};

/// The registration of all snapshots together, in the coordinates in which the stage's positions place them. A snapshot never places
/// itself: one that shows too few parts follows the others.
///
/// Three parts of a snapshot and more test it: what they put the board off the common place by, over the covariance of their scatter
/// and of what moves this snapshot against the others (difference_covariance, the stage's motion), is chi2 of three degrees of
/// freedom; in one board of 333 any of its snapshots is beyond the limit by chance. A snapshot beyond it, or one that misses its
/// parts at the common place and finds them at another one, refuses the board (SNAPSHOTS): it shows another board, or the board or
/// the stage moved. Where the common search fails, snapshots that find the board at different places each are named so as well.
BoardShift registered_snapshots(const std::vector<StatedSnapshot>& snapshots, const InspectionInputs& in);

/// Of the step, "true" or "false".
inline constexpr const char* common_place_parameter = "common_place";

/// Whether more than half of the snapshots were tested at one place of the board, or all together show it turned: no gross mistake in
/// the stated conventions puts them side by side then.
bool have_common_place(const std::vector<StepRecord>& stages);

}  // namespace datum
