#include "calib/fit/algebraic_start.h"
#include "calib/fit/curved_fit.h"

namespace datum {
namespace {

constexpr const char* sphere_name = "sphere";
constexpr const char* sphere_part = "cap";

struct SphereModel {
  Points points;

  Normal<4> linearised(const Sphere& s) const {
    Normal<4> n;
    for (const Eigen::Vector3d& p : points) {
      const Eigen::Vector3d q = p - s.center_mm;
      const double distance = q.norm();
      Eigen::Vector4d row;
      row << -q / distance, -1;
      n.add(row, distance - s.radius_mm);
      n.reach = std::max(n.reach, distance);
    }
    return n;
  }
  Sphere moved(const Sphere& s, const Eigen::Vector4d& step) const {
    return {s.center_mm + step.head<3>(), s.radius_mm + step[3]};
  }
};

}  // namespace

Fit<Sphere, 4> fit_sphere(Points points, const FitLimits& limits) {
  const PointMoments m = moments_of(points, sphere_name, 5);
  const std::vector<Eigen::Vector3d> q = scaled(points, m);
  const auto start = algebraic_ball(std::span<const Eigen::Vector3d>(q));
  if (!start) {
    refuse_fit(sphere_name,
               "the %zu points lie in a plane or on a line: measure the cap over its whole height",
               points.size());
  }
  const SphereModel model{q};
  const auto found = minimise<4>(model, Sphere{start->center, start->radius});
  double largest = 0;
  for (const Eigen::Vector3d& p : q) {
    largest = std::max(largest, std::abs((p - found.state.center_mm).norm() - found.state.radius_mm));
  }
  const double l = m.length_mm;
  Fit<Sphere, 4> fit;
  fit.feature = {m.mean_mm + l * found.state.center_mm, l * found.state.radius_mm};
  fit.evidence =
      evidence_of(points.size(), found.normal.sum_squares * l * l, l * largest, 4, 1, found.iterations);
  fit.covariance = covariance_of<4>(found.normal, fit.evidence.sigma_mm / l, Eigen::Vector4d::Ones(), l);
  refuse_curved(sphere_name, sphere_part, found.converged, fit.evidence, fit.feature.radius_mm,
                fit.covariance(3, 3), limits);
  return fit;
}

}  // namespace datum
