// The board's own form: floors and bare patches become knots, knots a surface, the surface a row of the verdict and, where
// a recipe allows it, the floor of a component whose ring tells none (METROLOGY S4).
//
// All of it is done here on the host, from records that are the same for every backend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calib/htm.h"
#include "calib/warp/warp_floor.h"
#include "daemon/inspection/board/bare_board.h"
#include "daemon/inspection/board/floor.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

/// A board's surface in board coordinates, or why there is none.
struct BoardWarp {
  Reason reason = Reason::none;
  std::string detail;
  std::vector<WarpKnot> knots;
  std::uint32_t refused = 0;          // rings and patches that told no floor
  std::vector<Eigen::Vector2d> hull;  // of the places that were looked at: rings' centres, patches' corners
  std::vector<WarpArea> seen;         // patches, and rings with what they enclose
  std::optional<ThinPlate> surface;
  Correlation correlation;  // the largest that a floor showed
  double noise_um = 0;      // of a pixel about its floor: the median of the floors
  BareBoard bare;           // beside the knots

  /// Empty where the hull holds all of them, else which lies how far beyond it.
  std::string beyond(const std::vector<Eigen::Vector2d>& places_mm) const;
  /// To the nearest area that was seen; 0 in one.
  double gap_mm(const Eigen::Vector2d& at_mm) const;
  WarpGapEvidence largest_gap(const std::vector<Eigen::Vector2d>& places_mm) const;
};

/// Gates of a patch: those of the floor, but a side counts with half its pixels.
FloorSettings patch_gates(const FloorSettings& floor, const Site& patch);

/// `floors`: of all sites, components' first. A knot's height is the floor's plane at the body's centre with the quadratic
/// that the ring determines, whatever form the recipe's heights stand on.
BoardWarp warp_of(const Recipe& recipe, const Htm<Board, Sensor>& board_from_sensor,
                  const std::vector<Site>& sites, const std::vector<Floor>& floors);

/// Compares the surface with the bare board that the frame shows where the recipe's checks and fallback floors stand on it.
/// Does nothing where there is no surface.
void look_beside_knots(BoardWarp& warp, const BareView& look, unsigned threads);

/// The farthest that bare board lies off the surface within reach_mm of any of these places; none: nothing was seen there.
std::optional<WarpOffEvidence> farthest_off(const BoardWarp& warp,
                                            const std::vector<Eigen::Vector2d>& places_mm, double reach_mm);

/// The area that a component's ring goes round, to the ring's outer border, or to its middle.
WarpArea ring_area(const Recipe& recipe, const Component& component, bool middle);

/// Half width in um of what the board may do at a place that was not seen: half the recipe's curvature times the gap's square.
HalfWidth hidden_um(const Recipe& recipe, const BoardWarp& warp);

/// Words for a gap that the recipe does not allow; empty: it does.
std::string too_far(const Recipe& recipe, const WarpGapEvidence& gap);

/// The board's own row: bow, twist, peak to valley, convexity against their limits.
ComponentVerdict judge_warp(const Recipe& recipe, const SensorProfile& sensor, const BoardWarp& warp);

/// Flatness of the board under a component's body, without a decision.
CheckVerdict board_flatness(const Check& check, const Recipe& recipe, const SensorProfile& sensor,
                            const Component& component, const BoardWarp& warp);

/// The surface as the floor of a component whose ring was refused; as `ring` where the surface can't stand in,
/// with that reason added to its words.
Floor fallback_floor(const Recipe& recipe, const Component& component, const Site& site, const Floor& ring,
                     const BoardWarp& warp, const Htm<Board, Sensor>& board_from_sensor);

}  // namespace datum
