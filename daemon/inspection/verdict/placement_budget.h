// How far a body may lie from its region in a frame, and what that makes of its height (METROLOGY S9: tilt x u_xy).
//
// A region that lies beside its body by d sees a sloping top higher or lower by slope . d; over a top that is parallel to its
// floor it changes nothing. Tilts do not change with place, and a turn of the whole board turns top and floor alike.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "calib/calibration.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// One source of doubt about a body's place.
struct PlacementTerm {
  const char* name;
  Eigen::Matrix2d covariance_mm2;  // of its place along the sensor's x and y
};

/// What tells where a board lies in its frame. Borrowed.
struct PlacementSources {
  const Recipe& recipe;
  const HeightFrame& frame;
  const Calibration* calibration;        // null: the recipe is in sensor coordinates
  const Pose& pose;                      // of the stage
  Htm<Board, Sensor> board_from_sensor;  // as it was measured: with the alignment's shift
};

/// The sources but the recipe's own position_mm, which knows where a body lies on its board:
///   calibration  J C J^T of the body's centre p, C the calibration's 6x6 covariance and J = [-[R p]x, 1]
///   stage        that of A (q - q_cal): squareness, scales and readings, as far as the calibration's file states them
///   pairing      u^2 in each direction, u of the stage's position at the exposure
///   alignment    (cell^2 + pixel^2) / 12 along each axis: the shift is known to half a cell, an edge to half a pixel
/// all along the sensor's axes. An alignment finds the board where it is, so of calibration, stage and pairing only the
/// calibration's turn about the board's middle m is left then: J = [-[R (p - m)]x, 0].
std::vector<PlacementTerm> placement_terms(const PlacementSources& sources, const Component& component);

/// Adds to a height's budget for each term sqrt(s^T C s) in um, s the slope of the top over its floor along the sensor's x and y.
void add_placement(std::vector<UncertaintyTerm>& budget, const std::vector<PlacementTerm>& terms,
                   const Eigen::Vector2d& slope);

}  // namespace datum
