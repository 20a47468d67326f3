// What the levels of a ring's tiles show beside the form that is fitted to them: what noise explains, and what is left.
// Lengths in um.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "daemon/inspection/board/tile_surface.h"

namespace datum {

/// The tiles that tell a level, and the least-squares forms through them: made once, for all that asks for them.
struct FittedTiles {
  /// `parameters` of the floor's form: 3 or 6.
  FittedTiles(const std::vector<TileLevel>& all, int parameters);

  const TileSurface& surface() const { return parameters == 6 ? quadratic : plane; }

  int parameters;
  std::vector<TileLevel> told;   // those of enough inliers
  double pixels = 0;             // inliers of theirs
  double share = 0;              // inliers of all tiles over their heights
  bool lacking = false;          // one tile has far fewer inliers than that
  TileSurface plane, quadratic;  // the plane is there where it is the form
};

/// What the levels of tiles show beside a plane (form 3 parameters) or a quadratic (6).
struct TileForm {
  std::uint32_t tiles = 0;  // that have enough inliers to tell
  double expected_um2 = 0;  // variance of a tile's level that noise explains
  double variance_um2 = 0;  // as it is, about the least-squares form
  double between_um = 0;    // standard deviation that noise does not explain
  double u_between_um =
      0;  // the same with what can hide behind noise: one standard deviation of its variance more
  double told_um2 = 0;  // variance that is beyond noise by more than one standard deviation of it
  // Variance of the form at the body's centre over that of a mean of all pixels: about 1 for a plane around the body; and
  // of a quadratic there, 0 where the tiles do not determine one
  double leverage = 1, quadratic_leverage = 0;
  /// Of the quadratic under the body, um over um, and the variance of both slopes over a pixel's; zero where there is none.
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();
  double slope_leverage = 0;
  /// One level holds all tiles: their variance is what noise explains, and no tile lacks inliers.
  bool even = false;
};

/// `noise_um` of a pixel, `correlation` the sum of its autocorrelation over lags of two pixels; (x, y) the body's centre.
TileForm form_of(const FittedTiles& tiles, double noise_um, double correlation, double expected_form_um,
                 double x, double y);

}  // namespace datum
