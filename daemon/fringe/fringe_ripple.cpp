#include "daemon/fringe/fringe_ripple.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace datum {
namespace {

constexpr int side = 64, basis_size = 7;
constexpr double least_fill = 0.75, least_explained = 0.25;
using Basis = Eigen::Matrix<double, basis_size, 1>;

struct Tile {
  std::vector<Basis> basis;
  std::vector<double> contrast;
  double least_px = HUGE_VAL, most_px = -HUGE_VAL, um_per_px = 0;
};

Tile tile_at(const MeasuredFringes& m, int cols, int top, int left, double period_px) {
  Tile t;
  for (int row = top; row < top + side; ++row)
    for (int col = left; col < left + side; ++col) {
      const auto i =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
      if (m.classes[i] != FringeClass::ok || !(m.mean[i] > 0)) continue;
      const double u = m.column_px[i], turn = 2 * std::numbers::pi * u / period_px;
      t.basis.push_back((Basis() << 1, (row - top) / double{side} - 0.5, (col - left) / double{side} - 0.5,
                         std::cos(turn), std::sin(turn), std::cos(2 * turn), std::sin(2 * turn))
                            .finished());
      t.contrast.push_back(double{m.modulation[i]} / m.mean[i]);
      t.least_px = std::min(t.least_px, u);
      t.most_px = std::max(t.most_px, u);
      if (m.sigma_px[i] > 0)
        t.um_per_px = std::max(t.um_per_px, double{m.height_sigma_um[i]} / m.sigma_px[i]);
    }
  return t;
}

/// Residual sum of squares after a fit of the first `functions` basis functions.
double left_over(const Tile& t, int functions, Eigen::VectorXd& factors) {
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(functions, functions);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(functions);
  for (std::size_t i = 0; i < t.basis.size(); ++i) {
    const Eigen::VectorXd b = t.basis[i].head(functions);
    normal += b * b.transpose();
    right += t.contrast[i] * b;
  }
  factors = normal.ldlt().solve(right);
  double squares = 0;
  for (std::size_t i = 0; i < t.basis.size(); ++i) {
    const double off = t.contrast[i] - factors.dot(t.basis[i].head(functions));
    squares += off * off;
  }
  return squares;
}

/// Amplitude share of the waves; 0 where the contrast does not follow the fringes.
double share_of(const Tile& t) {
  Eigen::VectorXd factors;
  const double plane = left_over(t, 3, factors), waves = left_over(t, basis_size, factors);
  if (!(waves < (1 - least_explained) * plane) || !(factors[0] > 0)) return 0;
  return 2 * factors.tail(4).norm() / factors[0];
}

}  // namespace

FringeRipple ripple_of(const MeasuredFringes& m, int rows, int cols, double period_px) {
  FringeRipple most;
  if (m.height_sigma_um.empty() || m.mean.empty()) return most;
  for (int top = 0; top + side <= rows; top += side)
    for (int left = 0; left + side <= cols; left += side) {
      const Tile t = tile_at(m, cols, top, left, period_px);
      if (static_cast<double>(t.basis.size()) < least_fill * side * side) continue;
      if (t.most_px - t.least_px < period_px) continue;
      const double share = share_of(t);
      if (share > most.share)
        most = {share, share * period_px / (2 * std::numbers::pi) * t.um_per_px, top + side / 2,
                left + side / 2};
    }
  return most;
}

}  // namespace datum
