// The part of a board's surface that the knots determine without smoothing: plane, bow and twist.
#pragma once

#include <Eigen/Core>

namespace datum {

/// 3 to 6 functions of a place: 1, x, y and those combinations of x^2, x y, y^2 that the knots determine. A
/// combination is determined where its variance over the knots, less the part explained by 1, x, y, is at
/// least 0.01 with coordinates from -1 to 1. Knots that fill a rectangle evenly have 4/45 of x^2 and 1/9 of x
/// y; two rows of them have 0 of y^2. At least 4 more knots than functions are required.
class WarpTrend {
 public:
  WarpTrend() = default;
  /// `places`: n x 2, about 0.
  explicit WarpTrend(const Eigen::MatrixX2d& places);

  Eigen::Index size() const { return 3 + quadratic_.cols(); }
  Eigen::VectorXd at(const Eigen::Vector2d& p) const;
  /// size() x 2, per unit of x and of y.
  Eigen::MatrixX2d gradient(const Eigen::Vector2d& p) const;

 private:
  Eigen::Vector2d reach_ = Eigen::Vector2d::Ones();
  /// Columns: factors of x^2, x y, y^2 over the scaled extent.
  Eigen::Matrix3Xd quadratic_ = Eigen::Matrix3Xd(3, 0);
};

}  // namespace datum
