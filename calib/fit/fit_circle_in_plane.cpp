#include "calib/fit/algebraic_start.h"
#include "calib/fit/curved_fit.h"

namespace datum {
namespace {

constexpr const char* flat_circle_name = "circle";
constexpr const char* flat_circle_part = "arc";

struct CircleModel2 {
  std::span<const Eigen::Vector2d> points;

  Normal<3> linearised(const Ball<2>& c) const {
    Normal<3> n;
    for (const Eigen::Vector2d& p : points) {
      const Eigen::Vector2d q = p - c.center;
      const double distance = q.norm();
      Eigen::Vector3d row;
      row << -q / distance, -1;
      n.add(row, distance - c.radius);
      n.reach = std::max(n.reach, distance);
    }
    return n;
  }
  Ball<2> moved(const Ball<2>& c, const Eigen::Vector3d& step) const {
    return {c.center + step.head<2>(), c.radius + step[2]};
  }
};

}  // namespace

Fit<Circle3, 3> fit_circle(Points points, const Eigen::Vector3d& normal, const FitLimits& limits) {
  if (!normal.allFinite() || !(normal.norm() > 0))
    refuse_fit(flat_circle_name, "its plane has a normal without length");
  const Eigen::Vector3d n = normal.normalized();
  const Eigen::Matrix<double, 3, 2> t = tangents(n);
  const PointMoments m = moments_of(points, flat_circle_name, 4);
  std::vector<Eigen::Vector2d> flat;
  for (const Eigen::Vector3d& p : scaled(points, m)) flat.push_back(t.transpose() * p);
  const auto start = algebraic_ball(std::span<const Eigen::Vector2d>(flat));
  if (!start) {
    refuse_fit(flat_circle_name,
               "seen along its normal the %zu points lie on a line: measure points all round", points.size());
  }
  const auto found = minimise<3>(CircleModel2{flat}, *start);
  double largest = 0;
  for (const Eigen::Vector2d& p : flat) {
    largest = std::max(largest, std::abs((p - found.state.center).norm() - found.state.radius));
  }
  const double l = m.length_mm;
  Fit<Circle3, 3> fit;
  fit.feature = {m.mean_mm + l * (t * found.state.center), n, l * found.state.radius};
  fit.evidence =
      evidence_of(points.size(), found.normal.sum_squares * l * l, l * largest, 3, 1, found.iterations);
  fit.covariance = covariance_of<3>(found.normal, fit.evidence.sigma_mm / l, Eigen::Vector3d::Ones(), l);
  refuse_curved(flat_circle_name, flat_circle_part, found.converged, fit.evidence, fit.feature.radius_mm,
                fit.covariance(2, 2), limits);
  return fit;
}

}  // namespace datum
