#include "calib/warp/warp_trend.h"

#include <algorithm>

#include "calib/linear/linear_algebra.h"
#include "calib/warp/knot_check.h"

namespace datum {
namespace {

constexpr double determined = 0.01;

Eigen::Vector3d squares(const Eigen::Vector2d& q) { return {q.x() * q.x(), q.x() * q.y(), q.y() * q.y()}; }

}  // namespace

WarpTrend::WarpTrend(const Eigen::MatrixX2d& places) {
  const Eigen::Index n = places.rows();
  const auto spare = n - 3 - static_cast<Eigen::Index>(least_warp_knots);
  if (spare <= 0) return;
  reach_ = places.cwiseAbs().colwise().maxCoeff();
  Eigen::MatrixX3d linear(n, 3), square(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Vector2d q = places.row(i).transpose().cwiseQuotient(reach_);
    linear.row(i) << 1, q.x(), q.y();
    square.row(i) = squares(q);
  }
  square -= linear * solve_symmetric(linear.transpose() * linear, linear.transpose() * square);
  const EigenSystem eigen = eigen_system(square.transpose() * square / static_cast<double>(n));
  const auto told = std::count_if(eigen.values.begin(), eigen.values.end(),
                                  [](double variance) { return variance >= determined; });
  quadratic_ = eigen.vectors.rightCols(std::min<Eigen::Index>(told, spare));
}

Eigen::VectorXd WarpTrend::at(const Eigen::Vector2d& p) const {
  Eigen::VectorXd values(size());
  values.head<3>() << 1, p.x(), p.y();
  values.tail(quadratic_.cols()) = quadratic_.transpose() * squares(p.cwiseQuotient(reach_));
  return values;
}

Eigen::MatrixX2d WarpTrend::gradient(const Eigen::Vector2d& p) const {
  const Eigen::Vector2d q = p.cwiseQuotient(reach_);
  Eigen::Matrix<double, 3, 2> slope;
  slope << 2 * q.x() / reach_.x(), 0, q.y() / reach_.x(), q.x() / reach_.y(), 0, 2 * q.y() / reach_.y();
  Eigen::MatrixX2d values = Eigen::MatrixX2d::Zero(size(), 2);
  values(1, 0) = values(2, 1) = 1;
  values.bottomRows(quadratic_.cols()) = quadratic_.transpose() * slope;
  return values;
}

}  // namespace datum
