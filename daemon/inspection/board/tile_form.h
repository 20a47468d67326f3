// Levels of a ring's tiles about the fitted form: the part explained by noise, and the rest. Lengths in um.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "daemon/inspection/board/tile_surface.h"

namespace datum {

/// Tiles with a level, and the least-squares forms through them; computed once for all users.
struct FittedTiles {
  /// `parameters` of the floor's form: 3 or 6.
  FittedTiles(const std::vector<TileLevel>& all, int parameters);

  const TileSurface& surface() const { return parameters == 6 ? quadratic : plane; }

  int parameters;
  std::vector<TileLevel> told;   // those with enough inliers
  double pixels = 0;             // inliers of theirs
  double share = 0;              // inliers of all tiles over their heights
  bool lacking = false;          // one tile has a far smaller share of inliers
  TileSurface plane, quadratic;  // the plane is set where it is the form
};

/// Deviation of the tiles' levels from a plane (3 parameters) or a quadratic (6).
struct TileForm {
  std::uint32_t tiles = 0;  // number with enough inliers
  double expected_um2 = 0;  // variance of a tile's level explained by noise
  double variance_um2 = 0;  // variance about the least-squares form
  double between_um = 0;    // standard deviation not explained by noise
  double u_between_um = 0;  // the same, increased by one standard deviation of its variance
  double told_um2 = 0;      // part of the variance that exceeds noise by more than its own standard deviation
  // Variance of the form at the body's centre over that of a mean of all pixels: about 1 for a plane around
  // the body; and of a quadratic there, 0 where the tiles do not determine one.
  double leverage = 1, quadratic_leverage = 0;
  /// Slope of the quadratic under the body, um over um, and the variance of both slopes over a pixel's; zero
  /// where there is none.
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();
  double slope_leverage = 0;
  /// One level holds all tiles: noise explains their variance, and no tile lacks inliers.
  bool even = false;
};

/// `noise_um` of a pixel, `correlation` the sum of its autocorrelation over lags of two pixels; (x, y) the body's centre.
TileForm form_of(const FittedTiles& tiles, double noise_um, double correlation, double expected_form_um,
                 double x, double y);

}  // namespace datum
