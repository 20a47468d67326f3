// A cloud of points as a map of square cells, each with a mean point and a surface normal. The map is coarse
// and quick, and is the same for a sensor's raster and for unordered points.
#pragma once

#include <vector>

#include "calib/fit/feature.h"

namespace datum {

struct Cell {
  Eigen::Vector3d mean_mm = Eigen::Vector3d::Zero();
  /// Length 1, z > 0; zero where its neighbourhood is no plane.
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  std::size_t points = 0;
  bool smooth() const { return normal.z() > 0; }
};

struct CellMap {
  double edge_mm = 0;
  int rows = 0, cols = 0;
  std::vector<Cell> cells;  // row-major over x (columns) and y (rows); empty cells have points = 0
};

/// Each normal is that of the least-squares plane through a cell and its eight neighbours. At least six of
/// them must hold points, and their means must scatter by less than a twentieth of the edge (a crease of 30
/// degrees exceeds that). Throws FitRefused above 16 million cells, which one distant stray point can cause.
CellMap cell_map(Points points, double edge_mm);

}  // namespace datum
