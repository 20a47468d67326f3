#include "daemon/inspection/registration/motion_fit.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace datum {
namespace {

constexpr double biweight = 6,  // 98 % efficient: few bodies are dear
    deg_per_rad = 57.29577951308232;
constexpr int rounds = 20;

/// Two-sided 95 % quantile of Student's distribution over the normal one; series in 1 / n, within 1 % from n = 2 on.
double student_over_normal(double n) { return 1 + (1.2115 + (1.4366 + 1.306 / n) / n) / n; }

struct Rows {
  std::vector<Eigen::Vector3d> a;
  std::vector<double> off;
};

Rows rows_of(const std::vector<EdgePair>& pairs, const PlaneMotion& motion) {
  const Eigen::Matrix2d linear = rotation_by_deg(motion.rotation_deg) * matrix_of(motion.turn);
  Rows r;
  for (const EdgePair& p : pairs) {
    const Eigen::Vector2d arm = linear * (p.at_mm - motion.pivot_mm);
    r.a.emplace_back(p.axis.x(), p.axis.y(), p.axis.y() * arm.x() - p.axis.x() * arm.y());
    r.off.push_back(p.off_mm);
  }
  return r;
}

double scale_of(const Rows& r, const Eigen::Vector3d& x) {
  std::vector<double> size(r.a.size());
  for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::abs(r.off[i] - r.a[i].dot(x));
  const auto middle = size.begin() + std::ptrdiff_t(size.size() / 2);
  std::nth_element(size.begin(), middle, size.end());
  const double n = double(size.size());
  return 1.4826 * *middle * std::sqrt(n / (n - 3));
}

bool step(const Rows& r, double scale, Eigen::Vector3d& x) {
  Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < r.a.size(); ++i) {
    const double u = (r.off[i] - r.a[i].dot(x)) / (biweight * scale);
    if (std::abs(u) >= 1) continue;
    const double w = (1 - u * u) * (1 - u * u);
    m += (w * r.a[i]) * r.a[i].transpose();
    v += (w * r.off[i]) * r.a[i];
  }
  Eigen::Matrix3d inverse;
  bool regular = false;
  m.computeInverseWithCheck(inverse, regular, 1e-9);
  if (!regular) return false;
  x = inverse * v;
  return x.allFinite();
}

bool add_covariance(const Rows& r, double scale, MotionFit& fit) {
  Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
  double psi2 = 0, slope = 0, slope2 = 0;
  const double n = double(r.a.size());
  for (std::size_t i = 0; i < r.a.size(); ++i) {
    m += r.a[i] * r.a[i].transpose();
    const double u = (r.off[i] - r.a[i].dot(fit.correction)) / (biweight * scale);
    if (std::abs(u) >= 1) continue;
    ++fit.used;
    const double psi = u * biweight * scale * (1 - u * u) * (1 - u * u), by = (1 - u * u) * (1 - 5 * u * u);
    psi2 += psi * psi;
    slope += by;
    slope2 += by * by;
  }
  Eigen::Matrix3d inverse;
  bool regular = false;
  m.computeInverseWithCheck(inverse, regular, 1e-9);
  if (!regular || n < 4 || slope <= 0) return false;
  slope /= n;
  const double k = 1 + 3 / n * (slope2 / n - slope * slope) / (slope * slope);
  const double student = student_over_normal(n - 3);
  fit.covariance = inverse * (student * student * k * k * psi2 / (n - 3) / (slope * slope));
  return true;
}

/// Along x or y, the median of what `value` says of these pairs.
template <class Value>
double median_along(const std::vector<EdgePair>& pairs, int direction, const Value& value) {
  std::vector<double> of;
  for (const EdgePair& p : pairs)
    if (std::abs(p.axis[direction]) > 0.7) of.push_back(value(p));
  if (of.empty()) return 0;
  const auto middle = of.begin() + std::ptrdiff_t(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

/// What all bodies have in common, so that their residuals do not show it.
void add_common_errors(const std::vector<EdgePair>& pairs, const Eigen::Vector2d& pivot_mm, MotionFit& fit) {
  double arm_mm = 0, rounded_mm2 = 0;
  for (const EdgePair& p : pairs) arm_mm = std::max(arm_mm, (p.at_mm - pivot_mm).norm());
  for (int i = 0; i < 2; ++i) {
    fit.size_off_mm[i] = median_along(pairs, i, [](const EdgePair& p) { return p.size_off_mm; });
    const double open = median_along(pairs, i, [](const EdgePair& p) { return p.unresolved_mm; });
    const double beyond = std::max(0.0, std::abs(fit.size_off_mm[i]) - open / 2);
    const double hidden = std::max(0.0, open * open / 24 - fit.residual_mm * fit.residual_mm);
    fit.covariance(i, i) += beyond * beyond / 12 + hidden;
    rounded_mm2 = std::max(rounded_mm2, hidden);
  }
  if (arm_mm > 0) fit.covariance(2, 2) += rounded_mm2 / (arm_mm * arm_mm);
}

}  // namespace

MotionFit fit_motion(const std::vector<EdgePair>& pairs, const PlaneMotion& motion, double start_mm,
                     double least_mm) {
  MotionFit fit;
  fit.pairs = pairs.size();
  if (pairs.size() < 4) return fit;
  const Rows r = rows_of(pairs, motion);
  double scale = start_mm;
  for (int i = 0; i < rounds; ++i) {
    if (!step(r, scale, fit.correction)) return fit;
    scale = std::max({least_mm, scale_of(r, fit.correction), i < 4 ? scale / 2 : 0});
  }
  fit.residual_mm = scale_of(r, fit.correction);
  fit.solved = add_covariance(r, scale, fit);
  add_common_errors(pairs, motion.pivot_mm, fit);
  return fit;
}

PlaneMotion corrected(const PlaneMotion& motion, const Eigen::Vector3d& correction) {
  return {motion.pivot_mm, motion.shift_mm + correction.head<2>(),
          motion.rotation_deg + correction.z() * deg_per_rad, motion.turn};
}

}  // namespace datum
