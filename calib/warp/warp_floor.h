// The floor that a board's surface gives a component whose own ring tells none.
#pragma once

#include "calib/warp/warp_shape.h"

namespace datum {

/// Places in mm, heights in um. The plane through the surface around the component, as its ring's would be, and the surface
/// under it.
struct WarpFloor {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();  // of the ring
  double plane_um = 0;                                  // the plane there
  Eigen::Vector2d slope_um_per_mm = Eigen::Vector2d::Zero();
  double form_um = 0;  // the surface over the plane at the body's centre
  /// Of plane or surface at the body's centre: the surface's own there. A ring's places lie nearer to the knots, but how
  /// the board goes on between ring and body is not known any better.
  double u_um = 0;
  double u_slope_um_per_mm = 0;  // of both directions together
  /// What knots left out are off (ThinPlate::left_out_um) is part of both: of its half width over all places that are looked at the
  /// standard uncertainty, and of a slope twice that over the ring's shorter side.
};

/// `ring`: the rectangle around the component on which the plane is taken, by least squares over 64 places of its border.
/// `body_mm`: the body's centre.
WarpFloor floor_of(const ThinPlate& surface, const WarpArea& ring, const Eigen::Vector2d& body_mm);

/// Adds the standard uncertainty of a height that is off by up to half_um at any of the places looked at.
void add_half_width(WarpFloor& floor, double half_um, const WarpArea& ring);

/// The places that floor_of looks at.
std::vector<Eigen::Vector2d> floor_places_mm(const WarpArea& ring, const Eigen::Vector2d& body_mm);

}  // namespace datum
