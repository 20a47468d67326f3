// The floor that a board's surface provides for a component whose own ring was refused.
#pragma once

#include "calib/warp/warp_shape.h"

namespace datum {

/// Places in mm, heights in um. The plane through the surface around the component, in place of its ring's,
/// and the surface under it.
struct WarpFloor {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();  // centre of the ring
  double plane_um = 0;                                  // height of the plane there
  Eigen::Vector2d slope_um_per_mm = Eigen::Vector2d::Zero();
  double form_um = 0;  // the surface over the plane at the body's centre
  /// Uncertainty of plane or surface at the body's centre, taken from the surface at that place. A ring's
  /// places lie nearer to the knots, but the board between ring and body is known no better.
  double u_um = 0;
  double u_slope_um_per_mm = 0;  // of both directions combined
  /// Both include the deviation of left-out knots (ThinPlate::left_out_um): the standard uncertainty of its
  /// half width over all evaluated places, and for a slope twice that over the ring's shorter side.
  /// standard uncertainty, and of a slope twice that over the ring's shorter side.
};

/// `ring`: rectangle around the component; the plane is the least squares of 64 places on its border.
/// `body_mm`: the body's centre.
WarpFloor floor_of(const ThinPlate& surface, const WarpArea& ring, const Eigen::Vector2d& body_mm);

/// Adds the standard uncertainty of a deviation of up to half_um at any evaluated place.
void add_half_width(WarpFloor& floor, double half_um, const WarpArea& ring);

/// The places that floor_of evaluates.
std::vector<Eigen::Vector2d> floor_places_mm(const WarpArea& ring, const Eigen::Vector2d& body_mm);

}  // namespace datum
