// A cloud of points as a map of square cells: one mean point and one surface normal each. Coarse, quick, and
// the same for a sensor's raster and for points without order.
#pragma once

#include <vector>

#include "calib/fit/feature.h"

namespace datum {

struct Cell {
  Eigen::Vector3d mean_mm = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal =
      Eigen::Vector3d::Zero();  // of length 1, z > 0; zero where its surroundings are no plane
  std::size_t points = 0;
  bool smooth() const { return normal.z() > 0; }
};

struct CellMap {
  double edge_mm = 0;
  int rows = 0, cols = 0;
  std::vector<Cell> cells;  // row-major over x (columns) and y (rows); without points where `points` is 0
};

/// Normals come from the least-squares plane through a cell and its eight neighbours: it needs six of them,
/// and a scatter of their means below a twentieth of the edge (a crease of 30 degrees makes more than that).
/// Throws FitRefused above 16 million cells: a point far away from all others.
CellMap cell_map(Points points, double edge_mm);

}  // namespace datum
