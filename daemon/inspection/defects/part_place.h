// A component's own place: its body's edges fitted by least squares, less the recipe's place.
//
// Offsets are of the body's middle, in mm along the board's x (to the right) and y (upwards), the rotation counter-clockwise
// seen from above: positive where the part lies to the right of its place, above it, and is turned counter-clockwise. With an
// alignment the board's place is the registered one. A part turned by half a turn looks the same.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/defects/part_edges.h"
#include "daemon/inspection/defects/part_silhouette.h"
#include "daemon/inspection/verdict/placement_budget.h"

namespace datum {

/// Standard uncertainty from one cause, along the part's own axes (mm) and of its rotation (rad).
struct EdgeTerm {
  const char* name;
  Eigen::Vector2d place_mm = Eigen::Vector2d::Zero();
  double rotation = 0;
};

struct PartPlace {
  Eigen::Vector2d offset_mm = Eigen::Vector2d::Zero();
  double rotation_deg = 0;  // from the recipe's
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  Eigen::Matrix2d axes = Eigen::Matrix2d::Identity();  // its own, in board coordinates
  std::vector<EdgeTerm> terms;
};

struct PartPlaceResult {
  std::optional<PartPlace> place;
  std::string why;  // where there is none
};

/// Five unknowns (middle, rotation, both sizes) by reweighted least squares (Tukey's biweight) on the points of four edges, from
/// the silhouette's rectangle. Terms:
///   rounding  of pixels: rounding_of_mean_px and rounding_of_slope_px of each side; those of opposite sides correlate by the
///             body's size in pixels
///   scatter   of all points about their edges, their number divided by (1 + r) / (1 - r), r the correlation of neighbours, with
///             Student's factor for few of them
///   hidden    missing pixels between body and floor, as far as the body lacks of its nominal size, at least one: a rectangle.
///             The points move out by their share of what it lacks; to it the scatter of these points beyond
///             rounding is added, for missing pixels of the body's rim scatter them inwards alone
PartPlaceResult place_of(const PartWindow& window, const PartSilhouette& silhouette,
                         const Component& component);

/// Value and budget of a characteristic of the place; INVALID (BODY_EDGES) where there is none. `placed`: how well the board's
/// place is known, along the sensor's axes; `turned_rad` the same of its rotation; `board_from_sensor` turns them.
CheckVerdict evaluate_place(const Check& check, const PartPlaceResult& result,
                            const std::vector<PlacementTerm>& placed,
                            const std::vector<UncertaintyTerm>& turned_rad,
                            const Eigen::Matrix2d& board_from_sensor);

}  // namespace datum
