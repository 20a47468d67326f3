#include "calib/registration/shift_fit.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "calib/fit/feature.h"
#include "calib/linear/linear_algebra.h"

namespace datum {

namespace {

constexpr int iterations = 6;             // each step of a converging fit is at least ten times smaller
constexpr double outlier_at = 3;          // standard uncertainties
constexpr double slopes_information = 4;  // of the slopes, over that of their noise
constexpr int tiles = 8;                  // each way

/// d(distance) / d(shift) for a direction n at p.
Vector6d row_of(const Eigen::Vector3d& p, const Eigen::Vector3d& n, const ShiftFit& fit) {
  Vector6d j;
  j << (p - fit.center_mm).cross(n) / fit.arm_mm, n;
  return j;
}

void place(const std::vector<OverlapSample>& samples, ShiftFit& fit) {
  fit.center_mm.setZero();
  for (const auto& s : samples) fit.center_mm += s.point_mm / static_cast<double>(samples.size());
  double sum = 0;
  for (const auto& s : samples) sum += (s.point_mm - fit.center_mm).squaredNorm();
  fit.arm_mm = std::max(1e-6, std::sqrt(sum / static_cast<double>(samples.size())));
}

double limit_of(const OverlapSample& s, const Eigen::Matrix3d& expected) {
  return outlier_at * std::sqrt(s.variance_mm2 + s.normal.dot(expected * s.normal));
}

double median_distance(const std::vector<OverlapSample>& samples) {
  std::vector<double> d;
  for (const auto& s : samples) d.push_back(std::abs(s.distance_mm));
  const auto middle = d.begin() + static_cast<std::ptrdiff_t>(d.size() / 2);
  std::nth_element(d.begin(), middle, d.end());
  return *middle;
}

struct Sums {
  Matrix6d normal = Matrix6d::Zero(), noise = Matrix6d::Zero();
  Vector6d right = Vector6d::Zero();
  struct Group {
    Vector6d pull = Vector6d::Zero();   // sum of weighted rows times distance
    Vector6d reach = Vector6d::Zero();  // sum of weighted rows: effect of one common error
    double common_mm2 = 0;              // variance of that error
  };
  std::map<int, Group> groups;
};

int tile_of(const Eigen::Vector3d& p, const ShiftFit& fit) {
  const auto cell = [&](double v) {
    return std::clamp(static_cast<int>(std::floor(v / fit.arm_mm * tiles / 4)), -tiles, tiles);
  };
  return cell(p.x() - fit.center_mm.x()) * 1000 + cell(p.y() - fit.center_mm.y());
}

/// Group of samples with correlated errors: a wall, or one tile of the gentle ground. Walls in one pixel row
/// on both sides of the center are two groups, because their errors would cancel in a rotation about it.
int group_of(const OverlapSample& s, const ShiftFit& fit) {
  constexpr int walls = 1'000'000;  // beyond all tiles
  if (s.wall < 0) return tile_of(s.point_mm, fit);
  const bool half = Eigen::Vector3d::UnitZ().cross(s.normal).dot(s.point_mm - fit.center_mm) > 0;
  return walls + 2 * s.wall + half;
}

/// `gate_mm`: farther points are excluded.
Sums sums_of(const std::vector<OverlapSample>& samples, const ShiftFit& fit, const Eigen::Matrix3d& expected,
             double gate_mm) {
  Sums sums;
  for (const auto& s : samples) {
    if (std::abs(s.distance_mm) > std::max(gate_mm, limit_of(s, expected))) continue;
    const Vector6d j = row_of(s.point_mm, s.normal, fit);
    sums.normal += j * j.transpose() / s.variance_mm2;
    sums.right += j * s.distance_mm / s.variance_mm2;
    const Eigen::Matrix<double, 3, 2> t = tangents(s.normal);
    for (int k = 0; k < 2; ++k) {
      const Vector6d e = row_of(s.point_mm, t.col(k), fit);
      sums.noise += s.slope_variance * e * e.transpose() / s.variance_mm2;
    }
    Sums::Group& group = sums.groups[group_of(s, fit)];
    group.pull += j * s.distance_mm / s.variance_mm2;
    group.reach += j / s.variance_mm2;
    group.common_mm2 = s.common_mm2;
  }
  return sums;
}

/// Inverse of the normal matrix on the determined directions; their projector.
Matrix6d inverse_of(const Sums& sums, Matrix6d& told) {
  const EigenSystem eigen = eigen_system(sums.normal);
  Matrix6d inverse = Matrix6d::Zero();
  told.setZero();
  for (int k = 0; k < 6; ++k) {
    const double value = eigen.values[k];
    const Vector6d u = eigen.vectors.col(k);
    if (!(value > slopes_information * u.dot(sums.noise * u))) continue;
    inverse += u * u.transpose() / value;
    told += u * u.transpose();
  }
  return inverse;
}

Eigen::Matrix4d motion_of(const ShiftFit& fit, const Vector6d& shift_mm) {
  const Eigen::Matrix3d r = rotation_from_vector(shift_mm.head<3>() / fit.arm_mm);
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = r;
  m.topRightCorner<3, 1>() = fit.center_mm - r * fit.center_mm + shift_mm.tail<3>();
  return m;
}

/// The groups' contributions propagated through the fit: a wall by the common error of its samples, ground by
/// its residuals; at least the samples' own variances.
Matrix6d covariance_of(const Sums& sums, const Matrix6d& inverse) {
  Matrix6d pulls = Matrix6d::Zero();
  for (const auto& [which, group] : sums.groups) {
    if (group.common_mm2 > 0)
      pulls += group.reach * group.reach.transpose() * group.common_mm2;
    else
      pulls += group.pull * group.pull.transpose();
  }
  return inverse * pulls * inverse + inverse;
}

}  // namespace

Eigen::Vector3d ShiftFit::at(const Eigen::Vector3d& point_mm) const {
  const Eigen::Vector3d w = shift_mm.head<3>() / arm_mm;
  return shift_mm.tail<3>() + w.cross(point_mm - center_mm);
}

Eigen::Matrix3d ShiftFit::covariance_at(const Eigen::Vector3d& point_mm) const {
  Eigen::Matrix<double, 3, 6> j;
  j << -cross_matrix(point_mm - center_mm) / arm_mm, Eigen::Matrix3d::Identity();
  return j * covariance_mm2 * j.transpose();
}

ShiftFit fit_shift(const std::function<std::vector<OverlapSample>(const Eigen::Matrix4d& moved)>& sampled,
                   const Eigen::Matrix3d& expected_mm2) {
  ShiftFit fit;
  std::vector<OverlapSample> samples = sampled(Eigen::Matrix4d::Identity());
  fit.samples = samples.size();
  if (samples.size() < 6) return fit;
  place(samples, fit);
  for (int i = 0; i < iterations; ++i) {
    // Four medians: a common shift of all points, however large, remains included.
    const Sums sums = sums_of(samples, fit, expected_mm2, 4 * median_distance(samples));
    const Matrix6d inverse = inverse_of(sums, fit.told);
    fit.shift_mm = fit.told * (fit.shift_mm - inverse * sums.right);
    fit.covariance_mm2 = covariance_of(sums, inverse);
    samples = sampled(motion_of(fit, fit.shift_mm));
    if (samples.size() < 6) return fit;
  }
  std::size_t outliers = 0;
  for (const auto& s : samples)
    outliers += s.around != Around::step && std::abs(s.distance_mm) > limit_of(s, expected_mm2);
  fit.samples = std::min(fit.samples, samples.size());
  fit.outlier_share = static_cast<double>(outliers) / static_cast<double>(samples.size());
  fit.median_mm = median_distance(samples);
  return fit;
}

}  // namespace datum
