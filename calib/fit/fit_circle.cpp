#include "calib/fit/algebraic_start.h"
#include "calib/fit/curved_fit.h"

namespace datum {
namespace {

constexpr const char* name = "circle";
constexpr const char* part = "arc";

using Row = Eigen::Matrix<double, 6, 1>;  // center, tilts, radius

struct CircleModel3 {
  Points points;

  Normal<6> linearised(const Circle3& c) const {
    const Eigen::Matrix<double, 3, 2> t = tangents(c.normal);
    Normal<6> n;
    for (const Eigen::Vector3d& p : points) {
      const Eigen::Vector3d q = p - c.center_mm;
      const double height = c.normal.dot(q);
      const Eigen::Vector3d in_plane = q - height * c.normal;
      const double distance = in_plane.norm();
      const Eigen::Vector3d outwards = in_plane / distance;
      Row row;
      row << -c.normal, t.transpose() * q, 0;
      n.add(row, height);
      row << -outwards, -height * (t.transpose() * outwards), -1;
      n.add(row, distance - c.radius_mm);
      n.reach = std::max(n.reach, q.norm());
    }
    return n;
  }
  Circle3 moved(const Circle3& c, const Row& step) const {
    const Eigen::Vector3d normal = c.normal + tangents(c.normal) * step.segment<2>(3);
    return {c.center_mm + step.head<3>(), normal.normalized(), c.radius_mm + step[5]};
  }
};

Circle3 start_of(const std::vector<Eigen::Vector3d>& q, const SymmetricEigen& e) {
  const Eigen::Matrix<double, 3, 2> in_plane = e.vectors.leftCols<2>();
  std::vector<Eigen::Vector2d> flat;
  for (const Eigen::Vector3d& p : q) flat.push_back(in_plane.transpose() * p);
  const auto circle = algebraic_ball(std::span<const Eigen::Vector2d>(flat));
  if (!circle) {
    refuse_fit(name, "the %zu points lie on a line: measure points all round", q.size());
  }
  return {in_plane * circle->center, with_positive_largest(e.vectors.col(2)), circle->radius};
}

}  // namespace

Fit<Circle3, 6> fit_circle(Points points, const FitLimits& limits) {
  const PointMoments m = moments_of(points, name, 4);
  const std::vector<Eigen::Vector3d> q = scaled(points, m);
  const auto found = minimise<6>(CircleModel3{q}, start_of(q, m.principal));
  const Circle3& c = found.state;
  double largest = 0;
  for (const Eigen::Vector3d& p : q) {
    const double height = c.normal.dot(p - c.center_mm);
    const double distance = (p - c.center_mm - height * c.normal).norm();
    largest = std::max(largest, std::hypot(height, distance - c.radius_mm));
  }
  const double l = m.length_mm;
  Fit<Circle3, 6> fit;
  fit.feature = {m.mean_mm + l * c.center_mm, with_positive_largest(c.normal), l * c.radius_mm};
  fit.evidence =
      evidence_of(points.size(), found.normal.sum_squares * l * l, l * largest, 6, 2, found.iterations);
  // The covariance belongs to the tangents of the normal that is handed out.
  const Normal<6> normal = CircleModel3{q}.linearised({c.center_mm, fit.feature.normal, c.radius_mm});
  const Row is_length = (Row() << 1, 1, 1, 0, 0, 1).finished();
  fit.covariance = covariance_of<6>(normal, fit.evidence.sigma_mm / l, is_length, l);
  refuse_curved(name, part, found.converged, fit.evidence, fit.feature.radius_mm, fit.covariance(5, 5),
                limits);
  refuse_tilt(name, part, fit.covariance.block<2, 2>(3, 3), limits);
  return fit;
}

}  // namespace datum
