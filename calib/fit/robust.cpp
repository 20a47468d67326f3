#include "calib/fit/robust.h"

#include "calib/fit/robust_models.h"
#include "calib/fit/robust_search.h"

namespace datum {
namespace robust {

int hypotheses_needed(double share, int sample_size, double confidence, int limit) {
  double hit = 1;
  for (int i = 0; i < sample_size; ++i) hit *= share;
  double miss_all = 1;
  for (int n = 1; n <= limit; ++n) {
    miss_all *= 1 - hit;
    if (miss_all <= 1 - confidence) return n;
  }
  return limit + 1;
}

void check(const RobustSettings& s) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string("robust fit: ") + what);
  };
  if (!(s.noise_sigma_mm > 0) || !std::isfinite(s.noise_sigma_mm)) {
    refuse("noise_sigma_mm must be positive: the sensor's noise of a point along one axis");
  }
  if (!(s.confidence > 0 && s.confidence < 1)) refuse("confidence must lie between 0 and 1");
  if (s.max_hypotheses < 1) refuse("max_hypotheses must be at least 1");
  if (!(s.least_share > 0 && s.least_share <= 1)) refuse("least_share must be above 0 and at most 1");
  if (!(s.second_share > 0 && s.second_share <= 1)) refuse("second_share must be above 0 and at most 1");
}

std::vector<std::uint32_t> order_of(Points points) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (int i = 0; i < 3; ++i) {
      if (points[a][i] != points[b][i]) return points[a][i] < points[b][i];
    }
    return a < b;
  });
  return order;
}

std::vector<Eigen::Vector3d> counted_on(Points ordered, std::uint64_t seed) {
  constexpr std::uint64_t most = 1024;
  const std::uint64_t n = ordered.size();
  if (n <= most) return {ordered.begin(), ordered.end()};
  std::vector<Eigen::Vector3d> some;
  for (std::uint64_t i = 0; i < most; ++i) {
    const std::uint64_t first = i * n / most, next = (i + 1) * n / most;
    // Word 3 separates these counters from those of the samples.
    const PhiloxBlock words = philox(PhiloxBlock{{static_cast<std::uint32_t>(i), 0, 0, 1}}, seed);
    some.push_back(ordered[first + multiply_high(words.word[0], static_cast<std::uint32_t>(next - first))]);
  }
  return some;
}

void refuse_scatter(const char* name, const FitEvidence& e, int residuals, int parameters,
                    double noise_sigma_mm) {
  // Upper 1e-6 quantile of chi-square over its degrees of freedom (Wilson and Hilferty 1931), but at least
  // the 1.2 of gpu/plane_fit: a profile's noise may be wrong by a quarter.
  const double freedom = static_cast<double>(residuals) * static_cast<double>(e.used) - parameters;
  const double cube_root = 1 - 2 / (9 * freedom) + 4.753 * std::sqrt(2 / (9 * freedom));
  const double allowed = noise_sigma_mm * std::max(1.2, std::sqrt(cube_root * cube_root * cube_root));
  if (e.sigma_mm <= allowed) return;
  refuse_fit(
      name,
      "its points scatter by %.3g mm, the stated noise of %.3g mm allows %.3g mm: the noise profile is "
      "too good, or the surface is no %s",
      e.sigma_mm, noise_sigma_mm, allowed, name);
}

}  // namespace robust

RobustFit<Plane3, 3> fit_plane_robust(Points points, const Eigen::Vector3d& towards,
                                      const RobustSettings& settings, const FitLimits& limits) {
  return robust::fit(PlaneSearch{towards}, points, settings, limits);
}

RobustFit<Line3, 4> fit_line_robust(Points points, const RobustSettings& settings, const FitLimits& limits) {
  return robust::fit(LineSearch{}, points, settings, limits);
}

RobustFit<Circle3, 6> fit_circle_robust(Points points, const RobustSettings& settings,
                                        const FitLimits& limits) {
  return robust::fit(CircleSearch{}, points, settings, limits);
}

RobustFit<Sphere, 4> fit_sphere_robust(Points points, const RobustSettings& settings,
                                       const FitLimits& limits) {
  return robust::fit(SphereSearch{}, points, settings, limits);
}

RobustFit<Cylinder, 5> fit_cylinder_robust(Points points, const RobustSettings& settings,
                                           const std::optional<Eigen::Vector3d>& start_direction,
                                           const FitLimits& limits) {
  return robust::fit(CylinderSearch{start_direction}, points, settings, limits);
}

}  // namespace datum
