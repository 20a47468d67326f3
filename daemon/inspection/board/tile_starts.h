// Start planes of the search for a ring's floor: planes close to many of its tiles. Lengths in um.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "daemon/inspection/board/ring_tiles.h"

namespace datum {

/// A plane through tiles; scale: mean square of the closest 40 % of the deviations (by pixels), in standard
/// errors.
struct Start {
  double scale = std::numeric_limits<double>::infinity();
  std::vector<bool> closest;
};

/// The tiles marked in `in`.
std::vector<TileLevel> chosen(const std::vector<TileLevel>& tiles, const std::vector<bool>& in);

/// At most 12 distinct starts, that of the least scale first: planes through three tiles, then concentration
/// steps (least trimmed squares; Rousseeuw and Van Driessen 2006).
std::vector<Start> best_starts(const std::vector<TileLevel>& tiles, std::uint64_t seed);

/// The best starts among the tiles outside `in`, if these are at least a quarter of all. Two planes may each
/// hold half of a ring, a level and a slope that bridges two others, and all of best_starts() may lie on one
/// of them.
std::vector<Start> starts_beside(const std::vector<TileLevel>& tiles, const std::vector<bool>& in,
                                 std::uint64_t seed);

}  // namespace datum
