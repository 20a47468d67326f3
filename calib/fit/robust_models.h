// The features of the robust search: for each a hypothesis from a minimal sample, a point's distance, and the
// least-squares fit.
#pragma once

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <optional>

#include "calib/fit/feature.h"

namespace datum {

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

}  // namespace datum
