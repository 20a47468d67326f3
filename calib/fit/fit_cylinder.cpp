#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "calib/fit/algebraic_start.h"
#include "calib/fit/curved_fit.h"
#include "calib/linear/linear_algebra.h"

namespace datum {
namespace {

constexpr const char* cylinder_name = "cylinder";
constexpr const char* cylinder_part = "part of it";

using CylinderRow = Eigen::Matrix<double, 5, 1>;  // tilts, offsets, radius
using Scaled = std::vector<Eigen::Vector3d>;

struct CylinderModel {
  Points points;

  Normal<5> linearised(const Cylinder& c) const {
    const Eigen::Matrix<double, 3, 2> t = tangents(c.direction);
    Normal<5> n;
    for (const Eigen::Vector3d& p : points) {
      const Eigen::Vector3d q = p - c.point_mm;
      const double along = c.direction.dot(q);
      const Eigen::Vector3d across = q - along * c.direction;
      const double distance = across.norm();
      const Eigen::Vector2d outwards = t.transpose() * across / distance;
      CylinderRow row;
      row << -along * outwards, -outwards, -1;
      n.add(row, distance - c.radius_mm);
      n.reach = std::max(n.reach, q.norm());
    }
    return n;
  }
  Cylinder moved(const Cylinder& c, const CylinderRow& step) const {
    const Eigen::Matrix<double, 3, 2> t = tangents(c.direction);
    const Eigen::Vector3d direction = (c.direction + t * step.head<2>()).normalized();
    const Eigen::Vector3d point = c.point_mm + t * step.segment<2>(2);
    // The centroid is the origin here; the axis' point remains the nearest to it.
    return {point - direction * direction.dot(point), direction, c.radius_mm + step[4]};
  }
};

struct Start {
  Cylinder cylinder;
  double sum_squares;
};

/// The algebraic circle of the points projected along a direction.
std::optional<Start> start_along(const Scaled& q, const Eigen::Vector3d& direction) {
  const Eigen::Matrix<double, 3, 2> t = tangents(direction);
  std::vector<Eigen::Vector2d> flat;
  flat.reserve(q.size());
  for (const Eigen::Vector3d& p : q) flat.push_back(t.transpose() * p);
  const auto circle = algebraic_ball(std::span<const Eigen::Vector2d>(flat));
  if (!circle) return std::nullopt;
  double sum = 0;
  for (const Eigen::Vector2d& p : flat) {
    const double r = (p - circle->center).norm() - circle->radius;
    sum += r * r;
  }
  return Start{{t * circle->center, direction, circle->radius}, sum};
}

/// At most 256 points, evenly spaced in their order; sufficient to choose a direction.
Scaled thinned(const Scaled& q) {
  const std::size_t stride = (q.size() + 255) / 256;
  Scaled some;
  for (std::size_t i = 0; i < q.size(); i += stride) some.push_back(q[i]);
  return some;
}

/// Directions about 8 degrees apart over half of the sphere (a golden-angle spiral), best first; only those
/// whose cosine with `about` is at least `least_cosine`.
std::vector<Start> starts_around(const Scaled& q, const Eigen::Vector3d& about, double least_cosine) {
  constexpr int directions = 300;
  const Scaled some = thinned(q);
  std::vector<Start> starts;
  if (const auto start = start_along(some, about)) starts.push_back(*start);
  for (int i = 0; i < directions; ++i) {
    const double z = (i + 0.5) / directions, r = std::sqrt(1 - z * z);
    const double turn = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const Eigen::Vector3d direction(r * std::cos(turn), r * std::sin(turn), z);
    if (std::abs(direction.dot(about)) < least_cosine) continue;
    const auto start = start_along(some, direction);
    if (start) starts.push_back(*start);
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.sum_squares < b.sum_squares; });
  return starts;
}

Minimum<5, Cylinder> best_of(const Scaled& q, const std::vector<Start>& starts) {
  // The sum of squares has several minima over the direction; the deepest ones are near the best starts.
  constexpr std::size_t tried = 12;
  Minimum<5, Cylinder> best;
  const Scaled some = thinned(q);
  for (std::size_t i = 0; i < std::min(tried, starts.size()); ++i) {
    auto found = minimise<5>(CylinderModel{some}, starts[i].cylinder);
    if (!found.converged || !(found.state.radius_mm > 0)) continue;
    if (!best.converged || found.normal.sum_squares < best.normal.sum_squares) best = found;
  }
  return best.converged ? minimise<5>(CylinderModel{q}, best.state) : best;
}

/// Normal equations in which the direction is determined only by the spread of the points along the axis that
/// no tilted plane explains. A flat inclined ring also determines it by its ellipse, but the mirrored
/// cylinder fits equally.
Normal<5> held_by_length(const Scaled& q, const Cylinder& c) {
  const Eigen::Matrix<double, 3, 2> t = tangents(c.direction);
  const auto place = [&](const Eigen::Vector3d& p) {
    return Eigen::Vector3d(t.col(0).dot(p), t.col(1).dot(p), 1);
  };
  Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& p : q) {
    a += place(p) * place(p).transpose();
    b += place(p) * c.direction.dot(p);
  }
  const Eigen::Vector3d leaning = solve_symmetric(a, b);
  Normal<5> n;
  for (const Eigen::Vector3d& p : q) {
    const Eigen::Vector2d outwards = (t.transpose() * (p - c.point_mm)).normalized();
    CylinderRow row;
    row << -(c.direction.dot(p) - leaning.dot(place(p))) * outwards, -outwards, -1;
    n.add(row, 0);
  }
  return n;
}

Fit<Cylinder, 5> fit_from(Points points, const PointMoments& m, const Scaled& q,
                          const std::vector<Start>& starts, const FitLimits& limits) {
  const auto found = best_of(q, starts);
  if (!found.converged) {
    refuse_fit(cylinder_name,
               "none fits the %zu points: they lie on a line or in a plane, or belong to another shape",
               points.size());
  }
  const Cylinder c{found.state.point_mm, with_positive_largest(found.state.direction), found.state.radius_mm};
  double largest = 0;
  for (const Eigen::Vector3d& p : q) {
    largest = std::max(largest, std::abs((p - c.point_mm).cross(c.direction).norm() - c.radius_mm));
  }
  const double l = m.length_mm;
  Fit<Cylinder, 5> fit;
  fit.feature = {m.mean_mm + l * c.point_mm, c.direction, l * c.radius_mm};
  fit.evidence =
      evidence_of(points.size(), found.normal.sum_squares * l * l, l * largest, 5, 1, found.iterations);
  const CylinderRow is_length = (CylinderRow() << 0, 0, 1, 1, 1).finished();
  fit.covariance = covariance_of<5>(CylinderModel{q}.linearised(c), fit.evidence.sigma_mm / l, is_length, l);
  refuse_curved(cylinder_name, cylinder_part, found.converged, fit.evidence, fit.feature.radius_mm,
                fit.covariance(4, 4), limits);
  const Eigen::Matrix<double, 5, 5> by_length =
      covariance_of<5>(held_by_length(q, c), fit.evidence.sigma_mm / l, is_length, l);
  refuse_tilt(cylinder_name, cylinder_part, by_length.topLeftCorner<2, 2>(), limits);
  return fit;
}

}  // namespace

Fit<Cylinder, 5> fit_cylinder(Points points, const FitLimits& limits) {
  const PointMoments m = moments_of(points, cylinder_name, 6);
  const Scaled q = scaled(points, m);
  return fit_from(points, m, q, starts_around(q, Eigen::Vector3d::UnitZ(), 0), limits);
}

Fit<Cylinder, 5> fit_cylinder(Points points, const Eigen::Vector3d& start_direction,
                              const FitLimits& limits) {
  const PointMoments m = moments_of(points, cylinder_name, 6);
  if (!start_direction.allFinite() || !(start_direction.norm() > 0)) {
    refuse_fit(cylinder_name, "its start direction has no length");
  }
  const Scaled q = scaled(points, m);
  // 40 degrees: 30 plus the spacing of the directions.
  const auto starts = starts_around(q, start_direction.normalized(), 0.766);
  return fit_from(points, m, q, starts, limits);
}

}  // namespace datum
