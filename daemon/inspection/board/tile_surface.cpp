#include "daemon/inspection/board/tile_surface.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace datum {

TileSurface::TileSurface(const std::vector<TileLevel>& tiles, int parameters) : parameters_(parameters) {
  double pixels = 0;
  for (const TileLevel& t : tiles) {
    pixels += t.inliers;
    x0_ += t.inliers * t.x;
    y0_ += t.inliers * t.y;
  }
  if (tiles.size() < static_cast<std::size_t>(parameters) || !(pixels > 0)) return;
  x0_ /= pixels;
  y0_ /= pixels;
  double far_x = 0, far_y = 0;
  for (const TileLevel& t : tiles) {
    far_x = std::max(far_x, std::fabs(t.x - x0_));
    far_y = std::max(far_y, std::fabs(t.y - y0_));
  }
  if (!(far_x > 0) || !(far_y > 0)) return;
  per_x_ = 1 / far_x;
  per_y_ = 1 / far_y;
  if (parameters == 6)
    solve<6>(tiles, pixels);
  else
    solve<3>(tiles, pixels);
}

template <int N>
void TileSurface::solve(const std::vector<TileLevel>& tiles, double pixels) {
  using Square = Eigen::Matrix<double, N, N>;
  Square normal = Square::Zero();
  Eigen::Matrix<double, N, 1> right = Eigen::Matrix<double, N, 1>::Zero();
  for (const TileLevel& t : tiles) {
    const Eigen::Matrix<double, N, 1> b = basis(t.x, t.y).template head<N>();
    const Eigen::Matrix<double, N, 1> weighed = t.inliers * b;
    right += t.level * weighed;
    normal += weighed * b.transpose();
  }
  const Eigen::LDLT<Square> factors = normal.ldlt();
  // a pivot below a millionth of the pixels: the tiles are collinear, or on a conic
  if (factors.info() != Eigen::Success || !(factors.vectorD().minCoeff() > 1e-6 * pixels)) return;
  inverse_.template topLeftCorner<N, N>() = factors.solve(Square::Identity());
  coefficients_.template head<N>() = factors.solve(right);
  defined_ = true;
}

TileSurface::Vector TileSurface::basis(double x, double y) const {
  const double u = (x - x0_) * per_x_, v = (y - y0_) * per_y_;
  Vector b = Vector::Zero();
  b[0] = 1;
  b[1] = u;
  b[2] = v;
  if (parameters_ == 6) {
    b[3] = u * u;
    b[4] = u * v;
    b[5] = v * v;
  }
  return b;
}

double TileSurface::leverage(double x, double y) const {
  const Vector b = basis(x, y);
  return b.dot(inverse_ * b);
}

double TileSurface::change_at(double x, double y, const std::vector<TileLevel>& tiles,
                              const std::vector<double>& by) const {
  const Vector there = inverse_ * basis(x, y);
  double change = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    change += tiles[i].inliers * by[i] * there.dot(basis(tiles[i].x, tiles[i].y));
  return change;
}

TileSurface::Vector TileSurface::basis_by_x(double x, double y) const {
  Vector b = Vector::Zero();
  b[1] = per_x_;
  if (parameters_ == 6) {
    b[3] = 2 * (x - x0_) * per_x_ * per_x_;
    b[4] = (y - y0_) * per_y_ * per_x_;
  }
  return b;
}

TileSurface::Vector TileSurface::basis_by_y(double x, double y) const {
  Vector b = Vector::Zero();
  b[2] = per_y_;
  if (parameters_ == 6) {
    b[4] = (x - x0_) * per_x_ * per_y_;
    b[5] = 2 * (y - y0_) * per_y_ * per_y_;
  }
  return b;
}

Eigen::Vector2d TileSurface::slope(double x, double y) const {
  return {basis_by_x(x, y).dot(coefficients_), basis_by_y(x, y).dot(coefficients_)};
}

double TileSurface::slope_leverage(double x, double y) const {
  const Vector bx = basis_by_x(x, y), by = basis_by_y(x, y);
  return bx.dot(inverse_ * bx) + by.dot(inverse_ * by);
}

}  // namespace datum
