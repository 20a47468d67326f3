#include <Eigen/Geometry>

#include "calib/fit/algebraic_start.h"
#include "calib/fit/curved_fit.h"
#include "calib/linear/linear_algebra.h"

namespace datum {
namespace {

constexpr const char* circle_name = "circle";
constexpr const char* circle_part = "arc";

// Parameters about the centroid (the origin here), which the points determine best: shift in the plane along
// t1 and t2, height of the plane, tilts, radius. About a far centre, tilt and height of a short arc's plane
// would be strongly correlated.
using CircleRow = Eigen::Matrix<double, 6, 1>;

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
      const Eigen::Vector2d outwards = t.transpose() * in_plane / distance;
      CircleRow row;
      row << 0, 0, -1, t.transpose() * p, 0;
      n.add(row, height);
      row << -outwards, 0, -c.normal.dot(p) * outwards, -1;
      n.add(row, distance - c.radius_mm);
      n.reach = std::max(n.reach, q.norm());
    }
    return n;
  }
  Circle3 moved(const Circle3& c, const CircleRow& step) const {
    const Eigen::Matrix<double, 3, 2> t = tangents(c.normal);
    const Eigen::Vector3d normal = (c.normal + t * step.segment<2>(3)).normalized();
    const Eigen::Vector3d center = c.center_mm + t * step.head<2>() + step[2] * c.normal;
    // Rodrigues' rotation from normal to normal. Eigen's FromTwoVectors instantiates a singular value
    // decomposition for opposite vectors, which a step along the tangents never produces.
    const Eigen::Vector3d axis = c.normal.cross(normal), across = axis.cross(center);
    return {center + across + axis.cross(across) / (1 + c.normal.dot(normal)), normal, c.radius_mm + step[5]};
  }
  /// Derivative of (center, tilts, radius) by the iteration's parameters.
  static Eigen::Matrix<double, 6, 6> handed_out(const Circle3& c) {
    const Eigen::Matrix<double, 3, 2> t = tangents(c.normal);
    Eigen::Matrix<double, 6, 6> g = Eigen::Matrix<double, 6, 6>::Zero();
    g.block<3, 2>(0, 0) = t;
    g.block<3, 1>(0, 2) = c.normal;
    // A tilt a towards t moves the centre c by a (t (n . c) - n (t . c)).
    g.block<3, 2>(0, 3) = t * c.normal.dot(c.center_mm) - c.normal * (c.center_mm.transpose() * t);
    g.block<3, 3>(3, 3).setIdentity();
    return g;
  }
};

Circle3 start_of(const std::vector<Eigen::Vector3d>& q, const SymmetricEigen& e) {
  const Eigen::Matrix<double, 3, 2> in_plane = e.vectors.leftCols<2>();
  std::vector<Eigen::Vector2d> flat;
  for (const Eigen::Vector3d& p : q) flat.push_back(in_plane.transpose() * p);
  const auto circle = algebraic_ball(std::span<const Eigen::Vector2d>(flat));
  if (!circle) {
    refuse_fit(circle_name, "the %zu points lie on a line: measure points all round", q.size());
  }
  return {in_plane * circle->center, with_positive_largest(e.vectors.col(2)), circle->radius};
}

}  // namespace

Fit<Circle3, 6> fit_circle(Points points, const FitLimits& limits) {
  const PointMoments m = moments_of(points, circle_name, 4);
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
  // The covariance refers to the tangents of the returned normal.
  const Circle3 out{c.center_mm, fit.feature.normal, c.radius_mm};
  const CircleRow none_is_length = CircleRow::Zero(),
                  is_length = (CircleRow() << 1, 1, 1, 0, 0, 1).finished();
  const Eigen::Matrix<double, 6, 6> g = CircleModel3::handed_out(out);
  const CircleRow unit = (is_length * l).array() + (1 - is_length.array());
  const auto scaled_covariance =
      covariance_of<6>(CircleModel3{q}.linearised(out), fit.evidence.sigma_mm / l, none_is_length, l);
  fit.covariance = unit.asDiagonal() * covariance_through(g, scaled_covariance) * unit.asDiagonal();
  refuse_curved(circle_name, circle_part, found.converged, fit.evidence, fit.feature.radius_mm,
                fit.covariance(5, 5), limits);
  refuse_tilt(circle_name, circle_part, fit.covariance.block<2, 2>(3, 3), limits);
  return fit;
}

}  // namespace datum
