#include "daemon/inspect/tile_surface.h"

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
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6> normal(parameters, parameters);
  normal.setZero();
  Vector right(parameters);
  right.setZero();
  for (const TileLevel& t : tiles) {
    const Vector b = basis(t.x, t.y);
    for (int i = 0; i < parameters; ++i) {
      right[i] += t.inliers * t.level * b[i];
      for (int j = 0; j < parameters; ++j) normal(i, j) += t.inliers * b[i] * b[j];
    }
  }
  const auto factors = normal.ldlt();
  // a pivot below a millionth of the pixels: the tiles lie on a line, or on a conic
  if (factors.info() != Eigen::Success || !(factors.vectorD().minCoeff() > 1e-6 * pixels)) return;
  inverse_ = factors.solve(decltype(normal)::Identity(parameters, parameters));
  coefficients_ = factors.solve(right);
  defined_ = true;
}

TileSurface::Vector TileSurface::basis(double x, double y) const {
  const double u = (x - x0_) * per_x_, v = (y - y0_) * per_y_;
  Vector b(parameters_);
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

double TileSurface::at(double x, double y) const {
  const Vector b = basis(x, y);
  double z = 0;
  for (int i = 0; i < parameters_; ++i) z += b[i] * coefficients_[i];
  return z;
}

double TileSurface::leverage(double x, double y) const {
  const Vector b = basis(x, y);
  return b.dot(inverse_ * b);
}

TileSurface::Vector TileSurface::basis_by_x(double x, double y) const {
  Vector b = Vector::Zero(parameters_);
  b[1] = per_x_;
  if (parameters_ == 6) {
    b[3] = 2 * (x - x0_) * per_x_ * per_x_;
    b[4] = (y - y0_) * per_y_ * per_x_;
  }
  return b;
}

TileSurface::Vector TileSurface::basis_by_y(double x, double y) const {
  Vector b = Vector::Zero(parameters_);
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
