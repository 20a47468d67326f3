#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "calib/warp/thin_plate.h"
#include "calib/warp/thin_plate_kernel.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr std::size_t neighbours = 5;

}  // namespace

/// A left-out knot deviates by sum_j (A^-1)_ij z_j / (A^-1)_ii; the knots' own uncertainties explain a part
/// of it.
void ThinPlate::find_neighbours(unsigned threads) {
  const Eigen::Index n = place_.rows();
  unexplained_um_.resize(n);
  spacing_.setConstant(n, std::numeric_limits<double>::infinity());
  parallel_for(threads, static_cast<std::size_t>(n), [&](std::size_t k, unsigned) {
    const auto i = static_cast<Eigen::Index>(k);
    double noise = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double part = inverse_(i, j) / inverse_(i, i) * knots_[static_cast<std::size_t>(j)].u_um;
      noise += part * part;
      if (j != i) spacing_[i] = std::min(spacing_[i], (place_.row(i) - place_.row(j)).norm());
    }
    const double off = leave_one_out_um_[k];
    unexplained_um_[i] = std::sqrt(std::max(0.0, off * off - noise));
  });
  mean_spacing_ = spacing_.mean();
}

double ThinPlate::over_trend_um(const Eigen::Vector2d& p) const {
  double sum = 0;
  for (Eigen::Index i = 0; i < place_.rows(); ++i)
    sum += solution_[i] * thin_plate_kernel((p - place_.row(i).transpose()).squaredNorm());
  return sum;
}

double ThinPlate::nearest(const Eigen::Vector2d& p) const {
  return (place_.rowwise() - p.transpose()).rowwise().norm().minCoeff();
}

double ThinPlate::left_out_um(const Eigen::Vector2d& at_mm) const {
  const Eigen::Vector2d p = scaled(at_mm);
  const Eigen::VectorXd way = (place_.rowwise() - p.transpose()).rowwise().norm();
  std::vector<Eigen::Index> order(knots_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto some = order.begin() + static_cast<std::ptrdiff_t>(std::min(neighbours, order.size()));
  std::partial_sort(order.begin(), some, order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return way[a] != way[b] ? way[a] < way[b] : a < b;
  });
  const double gap = way[order.front()];
  double half = std::sqrt(3.0) * health_.leave_one_out_um * gap / mean_spacing_;
  for (auto i = order.begin(); i != some; ++i) {
    const double ways = gap / spacing_[*i];
    half = std::max(half, unexplained_um_[*i] * std::max(ways, std::min(1.0, 2 * ways)));
  }
  return half;
}

double ThinPlate::unresolved_um(const Eigen::Vector2d& at_mm) const {
  const Eigen::Vector2d p = scaled(at_mm);
  const double gap = nearest(p), d = std::sqrt(0.5), middle = over_trend_um(p);
  double half = left_out_um(at_mm);
  if (gap == 0) return half;
  for (const Eigen::Vector2d& to :
       {Eigen::Vector2d(1, 0), Eigen::Vector2d(d, d), Eigen::Vector2d(0, 1), Eigen::Vector2d(-d, d)}) {
    const Eigen::Vector2d step = 2 * gap * to;
    half = std::max(half, std::abs(over_trend_um(p + step) - 2 * middle + over_trend_um(p - step)) / 3);
  }
  return half;
}

}  // namespace datum
