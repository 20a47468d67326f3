// Start values of iterations: circles and spheres from linear equations (|p|^2 = 2 c.p + k). The solution is
// exact for exact points and too small for short noisy arcs.
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

/// Points about their mean, scaled to about 1. None where they are collinear (2-D) or coplanar (3-D).
std::optional<Ball<2>> algebraic_ball(std::span<const Eigen::Vector2d> points);
std::optional<Ball<3>> algebraic_ball(std::span<const Eigen::Vector3d> points);

}  // namespace datum
