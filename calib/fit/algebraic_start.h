// Where iterations start: circles and spheres from linear equations (|p|^2 = 2 c.p + k), whose answer is exact
// for exact points and too small for short noisy arcs.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

namespace datum {

template <int Dimension>
struct Ball {
  Eigen::Matrix<double, Dimension, 1> center;
  double radius;
};

/// Of points about their mean, scaled to about 1. None where they lie on a line (2) or in a plane (3).
std::optional<Ball<2>> algebraic_ball(std::span<const Eigen::Vector2d> points);
std::optional<Ball<3>> algebraic_ball(std::span<const Eigen::Vector3d> points);

}  // namespace datum
