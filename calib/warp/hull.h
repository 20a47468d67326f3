// The convex hull of places: nothing is told of a surface beyond it.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace datum {

/// Corners of the hull, counter-clockwise, by Andrew's monotone chain; fewer than 3 where the places have no area.
std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> places_mm);

/// How far a place lies outside of a hull of at least 3 corners, in mm; 0 inside.
double beyond_hull_mm(const std::vector<Eigen::Vector2d>& hull, const Eigen::Vector2d& at_mm);

}  // namespace datum
