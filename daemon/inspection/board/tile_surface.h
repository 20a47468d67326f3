// Least squares through the levels of a ring's tiles: a plane, or a quadratic. Lengths in um.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "daemon/inspection/board/ring_tiles.h"

namespace datum {

/// A tile with fewer inliers has no level.
inline constexpr std::uint32_t least_tile_pixels = 6;
/// Largest variance of a tile's mean by noise, as a share of a pixel's variance: noise that is constant over
/// a tile is indistinguishable from form.
inline constexpr double most_of_a_pixel = 0.5;

/// z = c0 + c1 u + c2 v (+ c3 uu + c4 uv + c5 vv), u and v within about -1 to 1; tiles are weighted by their
/// inliers.
class TileSurface {
 public:
  TileSurface() = default;
  /// `parameters`: 3 or 6.
  TileSurface(const std::vector<TileLevel>& tiles, int parameters);

  /// Whether the tiles determine it.
  bool defined() const { return defined_; }
  double at(double x, double y) const { return basis(x, y).dot(coefficients_); }
  /// Variance at a place over the variance of one pixel.
  double leverage(double x, double y) const;
  /// 1, u, v, uu, uv, vv; a plane's last three are 0.
  using Vector = Eigen::Matrix<double, 6, 1>;
  /// Along x and y, um over um.
  Eigen::Vector2d slope(double x, double y) const;
  /// Variance of both slopes together over the variance of one pixel, per um^2.
  double slope_leverage(double x, double y) const;
  Vector basis(double x, double y) const;
  /// Change of the value at (x, y) if those of its tiles change by `by`.
  double change_at(double x, double y, const std::vector<TileLevel>& tiles,
                   const std::vector<double>& by) const;
  /// Residual sum of squares over pixels if some of its tiles are raised by 1 um. `bases`: sum of the raised
  /// tiles' bases, each times its `pixels`.
  double unfollowed(const Vector& bases, double pixels) const { return pixels - bases.dot(inverse_ * bases); }

 private:
  template <int N>
  void solve(const std::vector<TileLevel>& tiles, double pixels);
  Vector basis_by_x(double x, double y) const;
  Vector basis_by_y(double x, double y) const;

  bool defined_ = false;
  int parameters_ = 0;
  double x0_ = 0, y0_ = 0, per_x_ = 1, per_y_ = 1;
  Vector coefficients_ = Vector::Zero();
  Eigen::Matrix<double, 6, 6> inverse_ = Eigen::Matrix<double, 6, 6>::Zero();
};

}  // namespace datum
