// Where a recipe's components lie on a frame and what is measured there, kept from board to board: finding
// it takes longer than measuring on a GPU.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "daemon/inspection/board/board_plan_of.h"
#include "daemon/inspection/board/body_evidence.h"
#include "daemon/inspection/board/ring_tiles.h"

namespace datum {

/// What is known of a site's pixels before any frame.
struct SiteShape {
  RingTiles tiles;
  BodyShape body;
};

/// Sites and plan of one recipe at one place in frames of one geometry.
struct PlannedBoard {
  std::vector<Site> sites;
  std::vector<SiteShape> shapes;  // of each site
  OwnedBoardPlan plan;
};

/// Makes a board's plan with `threads` threads.
PlannedBoard plan_board(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                        const BoardView& view, unsigned threads);

/// Remembers the plans of the last boards. One object is used by one thread at a time.
class BoardPlanner {
 public:
  /// plan_board's result, or what it was for a board of the same recipe and profile (by their hashes;
  /// without one nothing is remembered), frame geometry and place. `view` is that of `placement`.
  std::shared_ptr<const PlannedBoard> of(const Recipe& recipe, const SensorProfile& sensor,
                                         const HeightFrame& frame, const Htm<Board, Sensor>& placement,
                                         const BoardView& view, unsigned threads);

 private:
  /// All that a plan depends on.
  struct Key {
    std::string recipe_name, recipe_sha256, sensor_serial, sensor_sha256;
    int rows, cols;
    std::size_t type;
    std::array<double, 6> scales;
    std::array<double, 16> placement;
    bool operator==(const Key&) const = default;
  };
  static Key key_of(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                    const Htm<Board, Sensor>& placement);

  static constexpr std::size_t most = 4;                                 // a line changes between few recipes
  std::list<std::pair<Key, std::shared_ptr<const PlannedBoard>>> last_;  // the latest first
};

}  // namespace datum
