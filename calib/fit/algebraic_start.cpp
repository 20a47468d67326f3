#include "calib/fit/algebraic_start.h"

#include <cmath>
#include <limits>

#include "calib/linear/linear_algebra.h"

namespace datum {
namespace {

template <int D>
std::optional<Ball<D>> solve(std::span<const Eigen::Matrix<double, D, 1>> points) {
  using Square = Eigen::Matrix<double, D + 1, D + 1>;
  using Column = Eigen::Matrix<double, D + 1, 1>;
  Square a = Square::Zero();
  Column b = Column::Zero();
  for (const auto& p : points) {
    Column row;
    row << 2 * p, 1;
    a += row * row.transpose();
    b += row * p.squaredNorm();
  }
  const EigenSystem e = eigen_system(a);
  if (!(e.values[0] > (D + 1) * std::numeric_limits<double>::epsilon() * e.values[D])) return std::nullopt;
  Column x = Column::Zero();
  for (int i = 0; i <= D; ++i) {
    const Column axis = e.vectors.col(i);
    x += axis * (axis.dot(b) / e.values[i]);
  }
  const double square = x[D] + x.template head<D>().squaredNorm();
  if (!(square > 0) || !std::isfinite(square)) return std::nullopt;
  return Ball<D>{x.template head<D>(), std::sqrt(square)};
}

}  // namespace

std::optional<Ball<2>> algebraic_ball(std::span<const Eigen::Vector2d> points) { return solve<2>(points); }

std::optional<Ball<3>> algebraic_ball(std::span<const Eigen::Vector3d> points) { return solve<3>(points); }

}  // namespace datum
