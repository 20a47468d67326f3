// Convex hull of places; a surface is not evaluated beyond it.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace datum {

/// Corners of the hull, counter-clockwise, by A. M. Andrew's monotone chain (1979); fewer than 3 where the
/// places have no area.
std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> places_mm);

/// Distance in mm of a place from a hull of at least 3 corners; 0 inside.
double beyond_hull_mm(const std::vector<Eigen::Vector2d>& hull, const Eigen::Vector2d& at_mm);

}  // namespace datum
