#include "calib/fit/robust.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <optional>

#include "calib/fit/feature.h"
#include "calib/fit/robust_search.h"

namespace datum {
namespace {

// Least area of a sample in squares of the points' rms length, as in gpu/plane_fit; a smaller one does not
// determine a plane.
inline constexpr double least_area = 1.0 / 4096;

template <int N>
using Sample = std::array<Eigen::Vector3d, N>;

struct PlaneSearch {
  using Feature = Plane3;
  static constexpr int parameters = 3, sample_size = 3, residuals = 1;
  static constexpr const char* name = "plane";
  Eigen::Vector3d towards;

  std::optional<Plane3> through(const Sample<3>& p, double length_mm) const {
    const Eigen::Vector3d across = (p[1] - p[0]).cross(p[2] - p[0]);
    if (!(across.norm() >= least_area * length_mm * length_mm)) return std::nullopt;
    return Plane3{p[0], across.normalized()};
  }
  double distance(const Plane3& f, const Eigen::Vector3d& p) const {
    return std::abs(f.normal.dot(p - f.point_mm));
  }
  Fit<Plane3, 3> fit(Points points, const FitLimits& limits) const {
    return fit_plane(points, towards, limits);
  }
};

struct LineSearch {
  using Feature = Line3;
  static constexpr int parameters = 4, sample_size = 2, residuals = 2;
  static constexpr const char* name = "line";

  std::optional<Line3> through(const Sample<2>& p, double length_mm) const {
    const Eigen::Vector3d along = p[1] - p[0];
    if (!(along.squaredNorm() >= least_area * length_mm * length_mm)) return std::nullopt;
    return Line3{p[0], along.normalized()};
  }
  double distance(const Line3& f, const Eigen::Vector3d& p) const {
    return f.direction.cross(p - f.point_mm).norm();
  }
  Fit<Line3, 4> fit(Points points, const FitLimits& limits) const { return fit_line(points, limits); }
};

struct CircleSearch {
  using Feature = Circle3;
  static constexpr int parameters = 6, sample_size = 3, residuals = 2;
  static constexpr const char* name = "circle";

  std::optional<Circle3> through(const Sample<3>& p, double length_mm) const {
    const Eigen::Vector3d u = p[1] - p[0], v = p[2] - p[0], across = u.cross(v);
    if (!(across.norm() >= least_area * length_mm * length_mm)) return std::nullopt;
    const Eigen::Vector3d to_center =
        (u.squaredNorm() * v.cross(across) + v.squaredNorm() * across.cross(u)) / (2 * across.squaredNorm());
    return Circle3{p[0] + to_center, across.normalized(), to_center.norm()};
  }
  double distance(const Circle3& f, const Eigen::Vector3d& p) const {
    const Eigen::Vector3d q = p - f.center_mm;
    const double height = f.normal.dot(q);
    return std::hypot(height, (q - height * f.normal).norm() - f.radius_mm);
  }
  Fit<Circle3, 6> fit(Points points, const FitLimits& limits) const { return fit_circle(points, limits); }
};

struct SphereSearch {
  using Feature = Sphere;
  static constexpr int parameters = 4, sample_size = 4, residuals = 1;
  static constexpr const char* name = "sphere";

  std::optional<Sphere> through(const Sample<4>& p, double length_mm) const {
    Eigen::Matrix3d edges;
    Eigen::Vector3d half_squares;
    for (int i = 0; i < 3; ++i) {
      edges.row(i) = (p[i + 1] - p[0]).transpose();
      half_squares[i] = edges.row(i).squaredNorm() / 2;
    }
    // Six times the tetrahedron's volume. A thin tetrahedron gives a huge sphere without consensus.
    if (!(std::abs(edges.determinant()) >= 1e-9 * length_mm * length_mm * length_mm)) return std::nullopt;
    const Eigen::Vector3d to_center = edges.inverse() * half_squares;
    return Sphere{p[0] + to_center, to_center.norm()};
  }
  double distance(const Sphere& f, const Eigen::Vector3d& p) const {
    return std::abs((p - f.center_mm).norm() - f.radius_mm);
  }
  Fit<Sphere, 4> fit(Points points, const FitLimits& limits) const { return fit_sphere(points, limits); }
};

struct CylinderSearch {
  using Feature = Cylinder;
  // Five points determine several cylinders, six determine one.
  static constexpr int parameters = 5, sample_size = 6, residuals = 1;
  static constexpr const char* name = "cylinder";
  std::optional<Eigen::Vector3d> start_direction;

  std::optional<Cylinder> through(const Sample<6>& p, double) const {
    try {
      return fit(p, FitLimits::none()).feature;
    } catch (const FitRefused&) {
      return std::nullopt;
    }
  }
  double distance(const Cylinder& f, const Eigen::Vector3d& p) const {
    return std::abs(f.direction.cross(p - f.point_mm).norm() - f.radius_mm);
  }
  Fit<Cylinder, 5> fit(Points points, const FitLimits& limits) const {
    return start_direction ? fit_cylinder(points, *start_direction, limits) : fit_cylinder(points, limits);
  }
};

}  // namespace

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
