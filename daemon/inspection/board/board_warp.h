// The board's own form: floors and bare patches are the knots of a surface, which gives a row of the verdict
// and, if the recipe allows it, the floor of a component whose ring was refused
// (daemon/inspection/METROLOGY.md, S4). Computed on the host from records that are equal for every backend.
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

/// Floors of all sites as one frame shows them, borrowed; null: the site is in no frame.
struct SitesFloors {
  const Htm<Board, Sensor>* board_from_sensor = nullptr;
  const std::vector<Site>* sites = nullptr;
  const std::vector<Floor>* floors = nullptr;
};

/// Of the frames of one board against each other, along its normal.
struct SnapshotSteps {
  double u_um = 0;         // standard uncertainty of a step from one to another; 0: there is only one
  std::string contradict;  // floors that two frames show are apart by more than explains; empty: they agree
};

/// A board's surface in board coordinates, or why there is none.
struct BoardWarp {
  Reason reason = Reason::none;
  std::string detail;
  std::vector<WarpKnot> knots;
  std::uint32_t refused = 0;          // refused rings and patches
  std::vector<Eigen::Vector2d> hull;  // of the measured places: rings' centres, patches' corners
  std::vector<WarpArea> seen;         // patches, and rings with their inside
  std::optional<ThinPlate> surface;
  Correlation correlation;  // the largest of all floors
  double noise_um = 0;      // of a pixel about its floor: median over the floors
  BareBoard bare;           // beside the knots
  double u_steps_um = 0;    // SnapshotSteps::u_um

  /// Empty where the hull contains all of them, else which lies how far outside.
  std::string beyond(const std::vector<Eigen::Vector2d>& places_mm) const;
  /// Distance to the nearest measured area; 0 inside one.
  double gap_mm(const Eigen::Vector2d& at_mm) const;
  WarpGapEvidence largest_gap(const std::vector<Eigen::Vector2d>& places_mm) const;
};

/// Gates of a patch: the floor's, except that a side counts with half its pixels.
FloorSettings patch_gates(const FloorSettings& floor, const Site& patch);

/// The floor under a body's centre, in board coordinates: the floor's plane there plus the quadratic that the ring determines,
/// for any FloorForm of the recipe.
WarpKnot floor_knot(const std::string& name, const Htm<Board, Sensor>& board_from_sensor, const Site& site,
                    const Floor& floor);

/// `seen`: by site, components first, the frame that shows it.
BoardWarp warp_of(const Recipe& recipe, const std::vector<SitesFloors>& seen, const SnapshotSteps& steps,
                  unsigned threads, SystemInverter& inverter);

/// Compares the surface with the frame's bare board around the places used by checks and fallback floors, beside frames that
/// were compared before. No effect without a surface.
void look_beside_knots(BoardWarp& warp, const BareView& look, unsigned threads);

/// Largest deviation of bare board from the surface within reach_mm of any of these places; none: not
/// measured there.
std::optional<WarpOffEvidence> farthest_off(const BoardWarp& warp,
                                            const std::vector<Eigen::Vector2d>& places_mm, double reach_mm);

/// The area enclosed by a component's ring, to the ring's outer border or to its middle.
WarpArea ring_area(const Recipe& recipe, const Component& component, bool middle);

/// Half width in um of the board's possible deviation at an unmeasured place: half the recipe's curvature
/// times the gap's square.
HalfWidth hidden_um(const Recipe& recipe, const BoardWarp& warp);

/// Text for a gap larger than the recipe allows; empty: allowed.
std::string too_far(const Recipe& recipe, const WarpGapEvidence& gap);

/// The board's own row: bow, twist, peak to valley, convexity against their limits.
ComponentVerdict judge_warp(const Recipe& recipe, const SensorProfile& sensor, const BoardWarp& warp);

/// Flatness of the board under a component's body, without a decision.
CheckVerdict board_flatness(const Check& check, const Recipe& recipe, const SensorProfile& sensor,
                            const Component& component, const BoardWarp& warp);

/// The surface as the floor of a component with a refused ring. Returns `ring` where the surface is not
/// usable, with that reason added to its text.
Floor fallback_floor(const Recipe& recipe, const Component& component, const Site& site, const Floor& ring,
                     const BoardWarp& warp, const Htm<Board, Sensor>& board_from_sensor);

}  // namespace datum
