#include "daemon/inspection/defects/terminal_planes.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "daemon/inspection/verdict/normal.h"

namespace datum {
namespace {

constexpr int samples = 128;  // pairs
/// Of the correction: where noise alone makes the deviations, their reduction leaves a quarter of it in the mean and scatters about it.
constexpr double unsure_share = 0.35;

/// Uniform in (0, 1): splitmix64 (Steele, Lea, Flood 2014) of a counter.
double uniform_at(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9E3779B97F4A7C15ull + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (static_cast<double>(z >> 12) + 0.5) * 0x1p-52;
}

using Three = std::array<std::size_t, 3>;

Eigen::Matrix3d corners(const std::vector<Apex>& p, const Three& on) {
  Eigen::Matrix3d m;
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Vector2d& at = p[on[k]].at_mm;
    m.col(static_cast<Eigen::Index>(k)) = Eigen::Vector3d(at.x(), at.y(), 1);
  }
  return m;
}

double highest_over(const ApexPlane& plane, const std::vector<Apex>& apexes) {
  double most = -1e300;
  for (const Apex& a : apexes) most = std::max(most, a.um - plane.at(a.at_mm));
  return most;
}

double lowest_over(const ApexPlane& plane, const std::vector<Apex>& apexes) {
  double least = 1e300;
  for (const Apex& a : apexes) least = std::min(least, a.um - plane.at(a.at_mm));
  return least;
}

/// Mean and standard deviation of the statement over the samples, about that of `apexes`.
struct Spread {
  double bias = 0, scatter = 0;
};
std::optional<Spread> spread_of(const std::vector<Apex>& apexes, const ApexStatement& statement) {
  const auto own = statement(apexes);
  if (!own) return std::nullopt;
  double sum = 0, squares = 0, n = 0;
  std::vector<Apex> noisy = apexes;
  for (std::uint64_t s = 0; s < samples; ++s)
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t i = 0; i < apexes.size(); ++i)
        noisy[i].um = apexes[i].um + sign * apexes[i].u_um * normal_quantile(uniform_at(s * 8192 + i));
      const auto value = statement(noisy);
      if (!value) return std::nullopt;
      const double off = *value - *own;
      sum += off;
      squares += off * off;
      n += 1;
    }
  return Spread{sum / n, std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)))};
}

/// By the apexes that bear the statement: root sum of squares of its change with each, which is linear but for exchanges.
double u_of_bearing(const std::vector<Apex>& apexes, const ApexStatement& statement, double own) {
  std::vector<Apex> moved = apexes;
  double squares = 0;
  for (std::size_t i = 0; i < apexes.size(); ++i) {
    const double step = 1e-3 * apexes[i].u_um;
    moved[i].um += step;
    if (const auto value = statement(moved); value && step > 0) {
      const double u = (*value - own) / step * apexes[i].u_um;
      squares += u * u;
    }
    moved[i].um = apexes[i].um;
  }
  return std::sqrt(squares);
}

}  // namespace

std::optional<ApexPlane> seating_plane(const std::vector<Apex>& apexes, double towards) {
  if (apexes.size() < 3) return std::nullopt;
  double reach = 0, low = 1e300, high = -1e300;
  for (const Apex& a : apexes) {
    reach = std::max(reach, a.at_mm.cwiseAbs().maxCoeff());
    low = std::min(low, a.um);
    high = std::max(high, a.um);
  }
  if (!(reach > 0)) return std::nullopt;
  // Three far places, deep below all, bear the first plane; one that stays says that nothing surrounds the middle.
  std::vector<Apex> p = apexes;
  const std::size_t n = p.size();
  const double deep = low - 1e6 * (high - low + 1);
  for (const Eigen::Vector2d& far : {Eigen::Vector2d(0, 8), Eigen::Vector2d(-8, -6), Eigen::Vector2d(8, -6)})
    p.push_back({reach * far, deep, 0});
  const Eigen::Vector3d middle(towards * 1.1e-7 * reach, towards * 2.3e-7 * reach, 1);
  Three on{n, n + 1, n + 2};
  for (std::size_t step = 0; step < 64 + 8 * n; ++step) {
    const Eigen::Matrix3d inverse = corners(p, on).inverse();
    const Eigen::RowVector3d plane = Eigen::RowVector3d(p[on[0]].um, p[on[1]].um, p[on[2]].um) * inverse;
    std::size_t worst = n;
    double most = 1e-9 * (1 + std::abs(high));
    for (std::size_t i = 0; i < n; ++i) {
      if (i == on[0] || i == on[1] || i == on[2]) continue;
      const double over = p[i].um - plane[0] * p[i].at_mm.x() - plane[1] * p[i].at_mm.y() - plane[2];
      if (over > most) {
        most = over;
        worst = i;
      }
    }
    if (worst == n) {
      if (std::max({on[0], on[1], on[2]}) >= n) return std::nullopt;
      std::sort(on.begin(), on.end());
      return ApexPlane{plane[0], plane[1], plane[2], on};
    }
    const Eigen::Vector3d share = inverse * middle,
                          entering = inverse * Eigen::Vector3d(p[worst].at_mm.x(), p[worst].at_mm.y(), 1);
    Eigen::Index leaves = -1;
    double least = 1e300;
    for (Eigen::Index k = 0; k < 3; ++k)
      if (entering[k] > 1e-12 && share[k] / entering[k] < least) {
        least = share[k] / entering[k];
        leaves = k;
      }
    if (leaves < 0) return std::nullopt;
    on[static_cast<std::size_t>(leaves)] = worst;
  }
  return std::nullopt;
}

std::optional<ApexPlane> apex_plane(const std::vector<Apex>& apexes) {
  if (apexes.size() < 3) return std::nullopt;
  Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  for (const Apex& a : apexes) {
    const Eigen::Vector3d x(a.at_mm.x(), a.at_mm.y(), 1);
    m += x * x.transpose();
    v += a.um * x;
  }
  const double n = m(2, 2), xx = m(0, 0) - m(0, 2) * m(0, 2) / n, yy = m(1, 1) - m(1, 2) * m(1, 2) / n,
               xy = m(0, 1) - m(0, 2) * m(1, 2) / n;
  if (xx * yy - xy * xy < 1e-8 * (xx + yy) * (xx + yy)) return std::nullopt;  // a line within 1:10,000
  const Eigen::Vector3d x = m.ldlt().solve(v);
  return ApexPlane{x[0], x[1], x[2], {}};
}

std::optional<double> seating_coplanarity(const std::vector<Apex>& apexes) {
  double most = 0;
  for (const double towards : {1.0, -1.0}) {
    const auto plane = seating_plane(apexes, towards);
    if (!plane) return std::nullopt;
    most = std::max(most, -lowest_over(*plane, apexes));
  }
  return most;
}

std::optional<double> regression_coplanarity(const std::vector<Apex>& apexes) {
  const auto plane = apex_plane(apexes);
  if (!plane) return std::nullopt;
  return highest_over(*plane, apexes) - lowest_over(*plane, apexes);
}

std::optional<double> apex_range(const std::vector<Apex>& apexes) {
  if (apexes.empty()) return std::nullopt;
  return highest_over({}, apexes) - lowest_over({}, apexes);
}

std::optional<ExtremeValue> without_lift(const std::vector<Apex>& apexes, const ApexStatement& statement) {
  const auto own = statement(apexes);
  const auto plane = apex_plane(apexes);
  const auto whole = spread_of(apexes, statement);
  if (!own || !plane || !whole || apexes.size() < 4) return std::nullopt;
  double squares = 0, noise = 0;
  for (const Apex& a : apexes) {
    const double r = a.um - plane->at(a.at_mm);
    squares += r * r;
    noise += a.u_um * a.u_um;
  }
  const double n = static_cast<double>(apexes.size()), variance = squares / (n - 3);
  const double left = variance > 0 ? std::sqrt(std::max(0.0, 1 - noise / n / variance)) : 0;
  std::vector<Apex> reduced = apexes;
  for (Apex& a : reduced) a.um = plane->at(a.at_mm) + left * (a.um - plane->at(a.at_mm));
  const auto spread = spread_of(reduced, statement);
  if (!spread) return std::nullopt;
  ExtremeValue v;
  v.bias = spread->bias;
  v.value = *own - v.bias;
  v.u = std::max({spread->scatter, whole->scatter, u_of_bearing(apexes, statement, *own)});
  v.u_bias = std::max(std::abs(spread->bias - whole->bias) / 2, unsure_share * std::abs(v.bias));
  return v;
}

}  // namespace datum
