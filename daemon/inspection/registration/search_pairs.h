// The points by which a board is searched for (board_search.h).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// A pixel is of a body where its height is within these shares of the nominal one: half of it parts body from floor, and
/// twice as high is another part, or a spike.
inline constexpr double lowest_share = 0.5, highest_share = 1.7;

struct SearchPair {
  Eigen::Vector2d in_mm, out_mm;  // board coordinates, either side of an edge
  std::size_t level = 0;          // of SearchPairs::levels_mm
  std::size_t body = 0;           // number of its body: pairs of one follow each other
};

struct SearchPairs {
  std::vector<SearchPair> pairs;
  std::vector<double> levels_mm;  // heights, one for bodies within 15 % of it
  std::size_t bodies = 0;
  double arm_mm = 0;  // of the farthest point from the board's middle
};

/// Of the largest bodies, at most so many: a point one cell inside of each edge (at most the body's middle) and one a cell outside
/// of it, on long sides two. Edges with another body outside have none.
SearchPairs search_pairs(const Recipe& recipe, double cell_mm, double lowest_mm, std::size_t most_bodies);

/// A cell for which most of these bodies have an inside and a gap: two fifths of the lower quartile of their shorter sides, at
/// most a 120th of the board.
double search_cell_mm(const Recipe& recipe, double lowest_mm, std::size_t most_bodies);

/// Whether a good board shows the component: its body is high enough, and no check demands an empty place (a presence with an upper
/// limit alone).
bool stands_up(const Component& component, double lowest_mm);

/// Axes of a body as columns, in board coordinates.
Eigen::Matrix2d axes_of(const BoardRect& rect);

}  // namespace datum
