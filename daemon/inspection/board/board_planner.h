// Cache of measuring plans: finding a recipe's components on a frame takes longer than measuring them on a
// GPU.
#pragma once

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "daemon/inspection/board/board_plan_of.h"
#include "daemon/inspection/board/body_evidence.h"
#include "daemon/inspection/board/ring_tiles.h"

namespace datum {

/// Properties of a site's pixels that do not depend on a frame.
struct SiteShape {
  RingTiles tiles;
  BodyShape body;
};

/// What a recipe asks of the pixels of its sites.
struct SiteDemands {
  FloorSettings floor;
  bool ring_structure_is_board = false;
  struct Body {
    HeightDemand heights;
    WantedRanks ranks;
  };
  std::vector<Body> bodies;  // of the components, which are the first sites
};
SiteDemands site_demands(const Recipe& recipe);

/// Sites and plan of one recipe at one place, for frames of one geometry.
struct PlannedBoard {
  std::vector<Site> sites;
  std::vector<SiteShape> shapes;  // of each site
  OwnedBoardPlan plan;
  SiteDemands demands;
  double lsb_um = 0;  // of the frames' heights; 0 for floats
};

/// Makes a board's plan with `threads` threads.
PlannedBoard plan_board(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                        const BoardView& view, unsigned threads);

/// Keeps the plans of the last boards. For use by one thread at a time.
class BoardPlanner {
 public:
  /// plan_board's result, or a cached one for the same recipe and profile (by their hashes; without one
  /// nothing is cached), frame geometry and place. `view` is that of `placement`.
  std::shared_ptr<const PlannedBoard> of(const Recipe& recipe, const SensorProfile& sensor,
                                         const HeightFrame& frame, const Htm<Board, Sensor>& placement,
                                         const BoardView& view, unsigned threads);

  /// Keeps this many at least: a panel has a plan for each board.
  void keep(std::size_t plans) { most_ = std::max(most_, plans); }

 private:
  /// Everything that a plan depends on.
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

  std::size_t most_ = 4;                                                 // a line changes between few recipes
  std::list<std::pair<Key, std::shared_ptr<const PlannedBoard>>> last_;  // latest first
};

}  // namespace datum
