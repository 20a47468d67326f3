// Uncertainty of a body's place relative to its region in a frame, and its effect on a height
// (daemon/inspection/METROLOGY.md, S9: s u_xy).
//
// A region displaced by d from its body measures a sloping top higher or lower by slope . d; over a top
// parallel to its floor it changes nothing. Tilts do not depend on the place, and a rotation of the whole
// board rotates top and floor alike.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "calib/calibration.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/registration/motion_fit.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// One source of uncertainty of a body's place.
struct PlacementTerm {
  const char* name;
  Eigen::Matrix2d covariance_mm2;  // of its place along the sensor's x and y
};

/// What a registration knows of the board's place, in board coordinates: shift of the pivot in mm and rotation in rad.
struct RegisteredPlace {
  Eigen::Vector2d pivot_mm;
  Eigen::Matrix3d covariance;
  std::optional<Eigen::Vector3d>
      middle_q_mm;                      // mean position of the stage, where several snapshots show one place
  std::optional<Matrix6d> stretched{};  // MotionFit::full, where a stretch was estimated
};

/// Sources of the board's place in its frame. Borrowed.
struct PlacementSources {
  const Recipe& recipe;
  const HeightFrame& frame;
  const Calibration* calibration;               // null: the recipe is in sensor coordinates
  const Pose& pose;                             // of the stage
  Htm<Board, Sensor> board_from_sensor;         // as measured, including the alignment's motion
  std::optional<RegisteredPlace> registered{};  // of a recipe that allows a rotation
};

/// All sources except the recipe's position_mm, the place of a body on its board:
///   calibration  J C J^T of the body's centre p, C the calibration's 6x6 covariance and J = [-[R p]x, 1]
///   stage        A (q - q_cal): squareness, scales and readings, as far as the calibration's file states them
///   pairing      u^2 in each direction, u of the stage's position at the exposure
///   alignment    (cell^2 + pixel^2) / 12 along each axis: half widths of half a cell and half a pixel
/// All along the sensor's axes. An alignment locates the board itself, so of calibration, stage and pairing
/// only the calibration's rotation about the board's middle m remains: J = [-[R (p - m)]x, 0]. A registration locates the
/// bodies' tops with their rotation, so of the calibration only the arm of the body's height remains, and `alignment` is
/// J C J^T of its covariance, J = [1, 0, -(y - y0); 0, 1, x - x0] at the body's centre (or stretch_rows of it). Several snapshots' one
/// place lies in each of them within what moves it against their middle: `stage`, the difference_covariance of both positions, and
/// `pairing`.
std::vector<PlacementTerm> placement_terms(const PlacementSources& sources, const Component& component);

/// Of the board's rotation in its plane, in rad: `alignment` by a registration, else `calibration`, whose rotation about the
/// machine's z it is.
std::vector<UncertaintyTerm> turn_terms(const PlacementSources& sources);

/// Adds for each term sqrt(s^T C s) in um to a height's budget, s the slope of the top over its floor along
/// the sensor's x and y.
void add_placement(std::vector<UncertaintyTerm>& budget, const std::vector<PlacementTerm>& terms,
                   const Eigen::Vector2d& slope);

}  // namespace datum
