#include "calib/fit/symmetric_eigen.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <utility>

namespace datum {
namespace {

// Convergence is quadratic from the third sweep on: 3x3 matrices are diagonal to the last bit after five or six.
constexpr int sweeps = 8;

/// Rotates axes p and q so that a(p,q) vanishes.
void rotate(Eigen::Matrix3d& a, Eigen::Matrix3d& v, int p, int q) {
  if (a(p, q) == 0) return;
  const double half_cotangent = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double t = std::copysign(1.0, half_cotangent) /
                   (std::abs(half_cotangent) + std::sqrt(1 + half_cotangent * half_cotangent));
  const double c = 1 / std::sqrt(1 + t * t), s = t * c;
  Eigen::Matrix3d g = Eigen::Matrix3d::Identity();
  g(p, p) = g(q, q) = c;
  g(p, q) = s;
  g(q, p) = -s;
  a = (g.transpose() * a * g).eval();
  a(p, q) = a(q, p) = 0;
  v = (v * g).eval();
}

}  // namespace

SymmetricEigen symmetric_eigen(const Eigen::Matrix3d& matrix) {
  Eigen::Matrix3d a = matrix.selfadjointView<Eigen::Lower>(), v = Eigen::Matrix3d::Identity();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(a, v, 0, 1);
    rotate(a, v, 0, 2);
    rotate(a, v, 1, 2);
  }
  std::array<int, 3> order{0, 1, 2};
  const auto sort_pair = [&](int i, int j) {
    if (a(order[i], order[i]) < a(order[j], order[j])) std::swap(order[i], order[j]);
  };
  sort_pair(0, 1);
  sort_pair(1, 2);
  sort_pair(0, 1);
  SymmetricEigen e;
  for (int i = 0; i < 3; ++i) {
    e.values[i] = a(order[i], order[i]);
    e.vectors.col(i) = v.col(order[i]);
  }
  e.vectors.col(2) = e.vectors.col(0).cross(e.vectors.col(1));
  return e;
}

}  // namespace datum
