#include "daemon/inspection/surface/surface_snapshots.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace datum {

Eigen::MatrixXd shift_covariance(const Calibration& c, std::span<const SnapshotMotion> snapshots,
                                 const Eigen::Vector3d& normal) {
  const auto n = static_cast<Eigen::Index>(snapshots.size());
  // A column of `by` is the effect of one standard deviation of a shared parameter on each snapshot.
  Eigen::Matrix<double, Eigen::Dynamic, 3> turn(n, 3);
  Eigen::Matrix<double, Eigen::Dynamic, 6> by(n, 6);
  Eigen::VectorXd own(n);
  constexpr int squareness_at[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (Eigen::Index i = 0; i < n; ++i) {
    const SnapshotMotion& s = snapshots[static_cast<std::size_t>(i)];
    const Eigen::Vector3d way =
        s.moved ? Eigen::Vector3d(s.q_mm - c.stage.q_cal_mm) : Eigen::Vector3d::Zero();
    // normal . (-w x T) = -w . (T x normal), T without the common calibration position
    turn.row(i) = -(c.stage.a * way).cross(normal).transpose();
    for (int k = 0; k < 3; ++k) {
      const int row = squareness_at[k][0], column = squareness_at[k][1];
      by(i, k) = -normal[row] * c.stage.a(column, column) * way[column] * c.stage_u.squareness_rad[k];
      by(i, 3 + k) =
          normal.dot(c.stage.a.col(k)) / c.stage.a(k, k) * way[k] * (c.stage_u.scale_ppm[k] * 1e-6);
    }
    const Eigen::Vector3d reading_mm =
        s.moved ? Eigen::Vector3d(c.stage_u.position_um / 1000) : Eigen::Vector3d::Zero();
    own[i] =
        (c.stage.a.transpose() * normal).cwiseProduct(reading_mm).squaredNorm() + s.pairing_mm * s.pairing_mm;
  }
  Eigen::MatrixXd shifts = turn * c.covariance.topLeftCorner<3, 3>() * turn.transpose() + by * by.transpose();
  shifts.diagonal() += own;
  return shifts;
}

ShiftedPlanes::ShiftedPlanes(const ParallelPlanes& shared, const std::vector<std::size_t>& regions,
                             const ComparedSurface& surface, const SurfaceSettings& settings)
    : snapshots_(surface.grids.size()),
      shares_(regions.size(), std::vector<Share>(snapshots_)),
      all_(regions.size()),
      slope_(2, static_cast<Eigen::Index>(snapshots_)) {
  for (int k = 0; k < 2; ++k) axes_.col(k) = Eigen::Map<const Eigen::Vector3d>(shared.axis[k]);
  Eigen::Matrix2d moments = Eigen::Matrix2d::Zero();
  const double most = most_area_mm2(settings);
  for (std::size_t i = 0; i < surface.face_region.size(); ++i) {
    const auto found = std::find(regions.begin(), regions.end(), surface.face_region[i]);
    if (found == regions.end()) continue;
    const auto g = static_cast<std::size_t>(found - regions.begin());
    const double w = std::min(most, surface.map.area_mm2[i]);
    const Place at = place_of(surface.map.points[i]);
    for (Share* s : {&shares_[g][surface.map.snapshot[i]], &all_[g]}) {
      s->weight += w;
      s->sum += w * at;
    }
    moments += w * at * at.transpose();
  }
  for (const Share& s : all_)
    if (s.weight > 0) moments -= s.sum * s.sum.transpose() / s.weight;
  const Eigen::Matrix2d inverse = moments.inverse();
  for (std::size_t s = 0; s < snapshots_; ++s) {
    Place pull = Place::Zero();
    for (std::size_t g = 0; g < all_.size(); ++g)
      if (all_[g].weight > 0) pull += shares_[g][s].sum - shares_[g][s].weight / all_[g].weight * all_[g].sum;
    slope_.col(static_cast<Eigen::Index>(s)) = inverse * pull;
  }
}

ShiftedPlanes::Place ShiftedPlanes::place_of(const ModelPoint& p) const {
  return axes_.transpose() * Eigen::Vector3d(p.x, p.y, p.z);
}

double ShiftedPlanes::range_u(const Eigen::MatrixXd& shifts, const ComparedSurface& surface,
                              std::size_t region) const {
  constexpr double far = std::numeric_limits<double>::infinity();
  std::vector<Place> low(snapshots_, Place::Constant(far)), high(snapshots_, Place::Constant(-far));
  for (std::size_t i = 0; i < surface.face_region.size(); ++i) {
    if (surface.face_region[i] != region) continue;
    const std::size_t s = surface.map.snapshot[i];
    const Place at = place_of(surface.map.points[i]);
    low[s] = low[s].cwiseMin(at);
    high[s] = high[s].cwiseMax(at);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> components(shifts);
  double variance = 0;
  for (Eigen::Index k = 0; k < shifts.cols(); ++k) {
    const Eigen::VectorXd shift = components.eigenvectors().col(k);
    const Place slope = slope_ * shift;
    double least = far, most = -far;
    for (std::size_t s = 0; s < snapshots_; ++s) {
      if (low[s].x() > high[s].x()) continue;
      // a plane's extremes over a box lie at its corners
      const Place middle = (low[s] + high[s]) / 2, half = (high[s] - low[s]) / 2;
      const double at = shift[static_cast<Eigen::Index>(s)] - slope.dot(middle);
      const double reach = slope.cwiseAbs().dot(half);
      least = std::min(least, at - reach);
      most = std::max(most, at + reach);
    }
    if (most > least)
      variance += std::max(0.0, components.eigenvalues()[k]) * (most - least) * (most - least);
  }
  return std::sqrt(variance);
}

double ShiftedPlanes::distance_u(const Eigen::MatrixXd& shifts) const {
  const Place between = all_[0].sum / all_[0].weight - all_[1].sum / all_[1].weight;
  Eigen::VectorXd by(static_cast<Eigen::Index>(snapshots_));
  for (std::size_t s = 0; s < snapshots_; ++s)
    by[static_cast<Eigen::Index>(s)] = shares_[0][s].weight / all_[0].weight -
                                       shares_[1][s].weight / all_[1].weight -
                                       slope_.col(static_cast<Eigen::Index>(s)).dot(between);
  return std::sqrt(std::max(0.0, by.dot(shifts * by)));
}

}  // namespace datum
