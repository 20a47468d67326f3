// Solids for seeded defects: parts of known form, as drawn and as made.
//
// Part coordinates in mm, z up; vertices of a facet are counter-clockwise, seen from outside.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/virtual_cell/part_shape.h"

namespace datum::statistics {

/// A feature with vertical walls that can be displaced or absent.
struct Feature {
  Eigen::Vector2d shift_mm = Eigen::Vector2d::Zero();
  bool is_missing = false;
};

struct Solid {
  std::string name;
  Eigen::Vector3d low_mm, high_mm;  // corners of its bounding box
  double reach_mm = 0.5;            // of a point, for coverage
  bool has_feature = false;
  Eigen::Vector2d feature_mm = Eigen::Vector2d::Zero();  // its middle
  Eigen::Vector2d view_mm = Eigen::Vector2d::Zero();     // centre of the sensor's view
  std::function<std::vector<PartFacet>(const Feature&)> facets;
  /// Regions of a recipe with a profile of `limit_um` each, and its alignment, if any.
  std::function<std::string(double limit_um)> regions;
};

/// "sheet" of 1 mm, "box" with a block on it, "demo" (the virtual part), "knurl", "freeform".
const std::vector<Solid>& solids();

/// The solid below heights on a grid of lines: for each cell, by its middle, the height at each corner.
using ColumnHeight = std::function<double(const Eigen::Vector2d& middle, const Eigen::Vector2d& corner)>;
std::vector<PartFacet> columns(const std::vector<double>& x_mm, const std::vector<double>& y_mm,
                               double bottom_mm, const ColumnHeight& height_mm);

}  // namespace datum::statistics
