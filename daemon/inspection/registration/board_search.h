// Coarse search for a board's place: which turn, rotation and shift put raised pixels inside of the recipe's bodies and floor
// beside them.
//
// Each side of a body gives pairs of points, one inside of the edge and one outside. A hypothesis scores +1 for a point that is
// seen as expected (a body's height inside, less than half of it outside), -1 for the contrary, 0 where nothing was measured. So
// missing parts and bare board score 0 on average, whatever their number, and a long body scores along both of its axes. All
// shifts of a rotation are scored at once, by adding up windows of the lattice: integers, so the order does not matter.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "daemon/inspection/registration/height_lattice.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "daemon/inspection/registration/search_pairs.h"

namespace datum {

inline constexpr std::size_t searched_bodies = 64, searched_places = 8;

struct SearchSettings {
  double max_shift_mm = 0;      // along the board's x and y
  double max_rotation_deg = 0;  // either way, beside the turns
  int first_turn = 0, turn_step = 1,
      turns = board_turns;                             // numbers of board_turn; one turn: as designed alone
  Eigen::Vector2d about_mm = Eigen::Vector2d::Zero();  // shifts are looked for around this one
};

struct SearchedPlace {
  PlaneMotion motion;
  double score = 0;  // of at most 1, which is all points seen as expected
  double match =
      0;  // mean over the bodies of max(0, 1 - 6 x share of their points that are seen as not expected)
};

/// Peaks of the score, at least three cells apart at the rim or of other turns: the highest, then those that match best; at most
/// searched_places. None: no part is seen. The pairs are of the lattice's cell.
std::vector<SearchedPlace> search_board(const SearchPairs& pairs, const Eigen::Vector2d& board_size_mm,
                                        const HeightLattice& lattice, const BoardView& view,
                                        const SearchSettings& settings, unsigned threads);

}  // namespace datum
