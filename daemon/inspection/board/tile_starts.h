// Where a search for a ring's floor begins: planes that many of its tiles lie close to. Lengths in um.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "daemon/inspection/board/ring_tiles.h"

namespace datum {

/// A plane through tiles, by the mean square of the deviations of the closest 40 % of them (by pixels), in standard errors.
struct Start {
  double scale = std::numeric_limits<double>::infinity();
  std::vector<bool> closest;
};

/// Those tiles that are in.
std::vector<TileLevel> chosen(const std::vector<TileLevel>& tiles, const std::vector<bool>& in);

/// At most 12 starts, that of the least scale first, none twice: planes through three tiles, then concentration steps (least
/// trimmed squares; Rousseeuw and Van Driessen 2006).
std::vector<Start> best_starts(const std::vector<TileLevel>& tiles, std::uint64_t seed);

/// The best starts among those tiles that are not in, where they are a quarter of all and more. Two planes may each hold half
/// of a ring, a level and a slope that bridges two others: all of best_starts() may lie on one of them.
std::vector<Start> starts_beside(const std::vector<TileLevel>& tiles, const std::vector<bool>& in,
                                 std::uint64_t seed);

}  // namespace datum
