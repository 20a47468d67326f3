#include "daemon/inspection/registration/motion_fit.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "calib/linear/linear_algebra.h"

namespace datum {
namespace {

constexpr double biweight = 6,  // 98 % efficient: few bodies are dear
    deg_per_rad = 57.29577951308232;
constexpr int rounds = 20, least_rounds = 5;  // the start's scale is halved four times
constexpr double settled = 1e-3;              // of what a pixel leaves open: no residual changes by more
constexpr double open_pivot = 1e-6;  // of unit rows: places on a line within a thousandth of their spread

/// Two-sided 95 % quantile of Student's distribution over the normal one; series in 1 / n, within 1 % from n = 2 on.
double student_over_normal(double n) { return 1 + (1.2115 + (1.4366 + 1.306 / n) / n) / n; }

/// Rows of the equations for N unknowns: shift, rotation, and of the stretch the mean scale or all three.
template <int N>
struct Rows {
  using Row = Eigen::Matrix<double, N, 1>;
  std::vector<Row> a;
  std::vector<double> off;
  std::vector<double> left, size;  // residuals of the last x, and their sizes
  double changed_mm = 0;           // by the last x, at most

  double scale_at(const Row& x);
};

/// Adds w a a^T: what of it lies on and below the diagonal.
template <int N>
void add_square(double w, const Eigen::Matrix<double, N, 1>& a, Eigen::Matrix<double, N, N>& m) {
  for (int col = 0; col < N; ++col) {
    const double by = w * a[col];
    for (int row = col; row < N; ++row) m(row, col) += by * a[row];
  }
}
template <int N>
void complete(Eigen::Matrix<double, N, N>& m) {
  for (int col = 1; col < N; ++col)
    for (int row = 0; row < col; ++row) m(row, col) = m(col, row);
}

template <int N>
Rows<N> rows_of(const std::vector<EdgePair>& pairs, const PlaneMotion& motion) {
  const Eigen::Matrix2d linear = rotation_by_deg(motion.rotation_deg) * matrix_of(motion.turn);
  Rows<N> r;
  for (const EdgePair& p : pairs) {
    const Eigen::Vector2d arm = linear * (stretched(p.at_mm, motion) - motion.pivot_mm);
    Eigen::Matrix<double, N, 1> a;
    a.template head<3>() << p.axis.x(), p.axis.y(), p.axis.y() * arm.x() - p.axis.x() * arm.y();
    if constexpr (N > 3) {
      const Eigen::Vector2d along = linear.transpose() * p.axis;  // the board's own axes
      const Eigen::Matrix<double, 1, 3> by =
          along.transpose() * stretch_rows(p.at_mm - motion.pivot_mm).rightCols<3>();
      a.template tail<N - 3>() = by.template head<N - 3>().transpose();
    }
    r.a.push_back(a);
    r.off.push_back(p.off_mm);
  }
  r.left = r.off;
  r.size.resize(r.off.size());
  return r;
}

template <int N>
double Rows<N>::scale_at(const Row& x) {
  changed_mm = 0;
  for (std::size_t i = 0; i < size.size(); ++i) {
    const double before = left[i];
    left[i] = off[i] - a[i].dot(x);
    changed_mm = std::max(changed_mm, std::abs(left[i] - before));
    size[i] = std::abs(left[i]);
  }
  const auto middle = size.begin() + std::ptrdiff_t(size.size() / 2);
  std::nth_element(size.begin(), middle, size.end());
  const double n = double(size.size());
  return 1.4826 * *middle * std::sqrt(n / (n - N));
}

/// False: the equations leave a direction open.
template <int N>
bool invert(const Eigen::Matrix<double, N, N>& m, Eigen::Matrix<double, N, N>& inverse) {
  if constexpr (N == 3) {
    bool regular = false;
    m.computeInverseWithCheck(inverse, regular, 1e-9);
    return regular;
  } else {  // unknowns of different units: by their own sizes
    const Eigen::Matrix<double, N, 1> by = m.diagonal().cwiseSqrt().cwiseInverse();
    if (!by.allFinite()) return false;
    const Eigen::Matrix<double, N, N> even = by.asDiagonal() * m * by.asDiagonal();
    const PivotedInverse of_even = invert_pivoted(even);
    if (of_even.last_pivot < open_pivot) return false;
    inverse = of_even.inverse;
    inverse = (by.asDiagonal() * inverse * by.asDiagonal()).eval();
    return true;
  }
}

/// With the residuals of the last x.
template <int N>
bool step(const Rows<N>& r, double scale, Eigen::Matrix<double, N, 1>& x) {
  Eigen::Matrix<double, N, N> m = Eigen::Matrix<double, N, N>::Zero(), inverse;
  Eigen::Matrix<double, N, 1> v = Eigen::Matrix<double, N, 1>::Zero();
  for (std::size_t i = 0; i < r.a.size(); ++i) {
    const double u = r.left[i] / (biweight * scale);
    if (std::abs(u) >= 1) continue;
    const double w = (1 - u * u) * (1 - u * u);
    add_square(w, r.a[i], m);
    v += (w * r.off[i]) * r.a[i];
  }
  complete(m);
  if (!invert<N>(m, inverse)) return false;
  x = inverse * v;
  return x.allFinite();
}

template <int N>
bool add_covariance(const Rows<N>& r, double scale, MotionFit& fit) {
  Eigen::Matrix<double, N, N> m = Eigen::Matrix<double, N, N>::Zero(), inverse;
  double psi2 = 0, slope = 0, slope2 = 0;
  const double n = double(r.a.size());
  for (std::size_t i = 0; i < r.a.size(); ++i) {
    add_square(1, r.a[i], m);
    const double u = r.left[i] / (biweight * scale);
    if (std::abs(u) >= 1) continue;
    ++fit.used;
    const double psi = u * biweight * scale * (1 - u * u) * (1 - u * u), by = (1 - u * u) * (1 - 5 * u * u);
    psi2 += psi * psi;
    slope += by;
    slope2 += by * by;
  }
  complete(m);
  if (!invert<N>(m, inverse) || n < N + 1 || slope <= 0) return false;
  slope /= n;
  const double k = 1 + N / n * (slope2 / n - slope * slope) / (slope * slope);
  const double student = student_over_normal(n - N);
  const Eigen::Matrix<double, N, N> covariance =
      inverse * (student * student * k * k * psi2 / (n - N) / (slope * slope));
  fit.covariance = covariance.template topLeftCorner<3, 3>();
  if constexpr (N > 3) fit.full.topLeftCorner<N, N>() = covariance;
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
  for (int i = 3; i < 6 && arm_mm > 0; ++i)
    if (fit.full(i, i) > 0) fit.full(i, i) += rounded_mm2 / (arm_mm * arm_mm);
  fit.full.topLeftCorner<3, 3>() = fit.covariance;
}

template <int N>
MotionFit fit_by(const std::vector<EdgePair>& pairs, const PlaneMotion& motion, double start_mm,
                 double least_mm) {
  MotionFit fit;
  fit.pairs = pairs.size();
  if (pairs.size() < (N == 3 ? 4 : N + 2)) return fit;
  Rows<N> r = rows_of<N>(pairs, motion);
  double scale = start_mm;
  Eigen::Matrix<double, N, 1> x = Eigen::Matrix<double, N, 1>::Zero();
  for (int i = 0; i < rounds; ++i) {
    const bool done = step<N>(r, scale, x);
    fit.correction = x.template head<3>();
    fit.stretch.head<N - 3>() = x.template tail<N - 3>();
    if (!done) return fit;
    fit.residual_mm = r.scale_at(x);
    scale = std::max({least_mm, fit.residual_mm, i + 1 < least_rounds ? scale / 2 : 0});
    if (i >= least_rounds && r.changed_mm <= settled * least_mm) break;
  }
  fit.solved = add_covariance<N>(r, scale, fit);
  add_common_errors(pairs, motion.pivot_mm, fit);
  return fit;
}

}  // namespace

Eigen::Matrix<double, 2, 6> place_rows(const Eigen::Vector2d& at_mm, const PlaneMotion& motion) {
  const Eigen::Matrix2d linear = MovedPlane(motion).linear();
  Eigen::Matrix<double, 2, 6> by;
  by << stretch_rows(linear * (stretched(at_mm, motion) - motion.pivot_mm)).leftCols<3>(),
      linear * stretch_rows(at_mm - motion.pivot_mm).rightCols<3>();
  return by;
}

MotionFit fit_motion(const std::vector<EdgePair>& pairs, const PlaneMotion& motion, double start_mm,
                     double least_mm, BoardModel model) {
  switch (model) {
    case BoardModel::rigid:
      return fit_by<3>(pairs, motion, start_mm, least_mm);
    case BoardModel::similarity:
      return fit_by<4>(pairs, motion, start_mm, least_mm);
    case BoardModel::affine:
      return fit_by<6>(pairs, motion, start_mm, least_mm);
  }
  return {};
}

PlaneMotion corrected(const PlaneMotion& motion, const Eigen::Vector3d& correction) {
  return {motion.pivot_mm, motion.shift_mm + correction.head<2>(),
          motion.rotation_deg + correction.z() * deg_per_rad, motion.turn, motion.stretch};
}

PlaneMotion corrected(const PlaneMotion& motion, const MotionFit& fit) {
  PlaneMotion m = corrected(motion, fit.correction);
  m.stretch += fit.stretch;
  return m;
}

}  // namespace datum
