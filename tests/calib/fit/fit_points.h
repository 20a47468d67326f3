// Points on features, with and without noise, from fixed seeds.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "calib/fit/feature.h"

namespace datum::testing {

using PointList = std::vector<Eigen::Vector3d>;

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits_(seed) {}
  double gauss(double sigma) { return sigma * normal_(bits_); }
  double uniform(double low, double high) { return low + (high - low) * uniform_(bits_); }
  Eigen::Vector3d isotropic(double sigma) { return {gauss(sigma), gauss(sigma), gauss(sigma)}; }

 private:
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

inline PointList on_plane(const Plane3& plane, double half_u, double half_v, int count, double sigma,
                          Noise& noise) {
  const auto t = tangents(plane.normal);
  PointList points;
  for (int i = 0; i < count; ++i) {
    points.push_back(plane.point_mm + t.col(0) * noise.uniform(-half_u, half_u) +
                     t.col(1) * noise.uniform(-half_v, half_v) + noise.isotropic(sigma));
  }
  return points;
}

inline PointList on_line(const Line3& line, double half, int count, double sigma, Noise& noise) {
  PointList points;
  for (int i = 0; i < count; ++i) {
    points.push_back(line.point_mm + line.direction * noise.uniform(-half, half) + noise.isotropic(sigma));
  }
  return points;
}

/// An arc from tangent t1 through `arc` rad.
inline PointList on_circle(const Circle3& circle, double arc, int count, double sigma, Noise& noise) {
  const auto t = tangents(circle.normal);
  PointList points;
  for (int i = 0; i < count; ++i) {
    const double a = noise.uniform(0, arc);
    points.push_back(circle.center_mm + circle.radius_mm * (t.col(0) * std::cos(a) + t.col(1) * std::sin(a)) +
                     noise.isotropic(sigma));
  }
  return points;
}

/// The cap about `pole` with polar angles below `angle`, evenly by area.
inline PointList on_sphere(const Sphere& sphere, const Eigen::Vector3d& pole, double angle, int count,
                           double sigma, Noise& noise) {
  const auto t = tangents(pole);
  PointList points;
  for (int i = 0; i < count; ++i) {
    const double c = noise.uniform(std::cos(angle), 1), s = std::sqrt(1 - c * c);
    const double a = noise.uniform(0, 2 * std::numbers::pi);
    points.push_back(sphere.center_mm +
                     sphere.radius_mm *
                         (pole * c + t.col(0) * (s * std::cos(a)) + t.col(1) * (s * std::sin(a))) +
                     noise.isotropic(sigma));
  }
  return points;
}

/// A sector of `arc` rad from tangent t1.
inline PointList on_cylinder(const Cylinder& c, double half_length, double arc, int count, double sigma,
                             Noise& noise) {
  const auto t = tangents(c.direction);
  PointList points;
  for (int i = 0; i < count; ++i) {
    const double a = noise.uniform(0, arc);
    points.push_back(c.point_mm + c.direction * noise.uniform(-half_length, half_length) +
                     c.radius_mm * (t.col(0) * std::cos(a) + t.col(1) * std::sin(a)) +
                     noise.isotropic(sigma));
  }
  return points;
}

}  // namespace datum::testing
