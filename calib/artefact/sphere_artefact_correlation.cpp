#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "calib/artefact/sphere_artefact.h"

namespace datum {
namespace {

struct Sum {
  double n = 0, residual = 0;
};

/// Mean over squares of n mean^2 / variance: 1 for independent residuals. Squares that are less than half
/// full are excluded. `count`: number of squares.
double square_means(Points cap, const Sphere& sphere, const Eigen::Matrix<double, 3, 2>& across,
                    double side_mm, double full, double variance, double& count) {
  std::map<std::pair<int, int>, Sum> squares;
  for (const Eigen::Vector3d& p : cap) {
    const Eigen::Vector3d q = p - sphere.center_mm;
    const Eigen::Vector2d place = across.transpose() * q / side_mm;
    Sum& s = squares[{static_cast<int>(std::floor(place.x())), static_cast<int>(std::floor(place.y()))}];
    s.n += 1;
    s.residual += q.norm() - sphere.radius_mm;
  }
  double sum = 0;
  count = 0;
  for (const auto& [place, s] : squares) {
    if (s.n < full / 2) continue;
    sum += s.residual * s.residual / (s.n * variance);
    count += 1;
  }
  return count > 0 ? sum / count : 1;
}

}  // namespace

double cap_correlation(Points cap, const Fit<Sphere, 4>& fit, const Eigen::Vector3d& view,
                       double cap_angle_rad) {
  const double variance = fit.evidence.sigma_mm * fit.evidence.sigma_mm;
  // Residuals at rounding level are not evaluated: 2e-13 mm for coordinates below a metre.
  if (fit.evidence.sigma_mm < 1e-9) return 1;
  const double reach = fit.feature.radius_mm * std::sin(cap_angle_rad);
  const double spacing_mm = std::sqrt(std::numbers::pi * reach * reach / static_cast<double>(cap.size()));
  const auto across = tangents(view);
  double few = 0, many = 0;
  const double large = square_means(cap, fit.feature, across, 16 * spacing_mm, 256, variance, few);
  const double small = square_means(cap, fit.feature, across, 8 * spacing_mm, 64, variance, many);
  if (few < 10 || many < 50) return 1;
  // One square's value is chi-square of one degree of freedom, variance 2.
  if (small < 1 + 2 * std::sqrt(2 / many)) return 1;
  // A square of b spacings misses a share of about 1 / b along each axis of the correlation across its edges:
  // two sizes give the limit for large b.
  const double root = 2 * std::sqrt(large) - std::sqrt(small);
  return std::max({1.0, small, root * root});
}

}  // namespace datum
