#include "calib/artefact/cell_map.h"

#include <algorithm>
#include <cmath>

#include "calib/linear/linear_algebra.h"

namespace datum {

namespace {

struct Box {
  Eigen::Vector2d least, most;
};

Box box_of(Points points) {
  Box box{Eigen::Vector2d::Constant(1e300), Eigen::Vector2d::Constant(-1e300)};
  for (const Eigen::Vector3d& p : points) {
    box.least = box.least.cwiseMin(p.head<2>());
    box.most = box.most.cwiseMax(p.head<2>());
  }
  return box;
}

/// Plane z = c + a x + b y through the means around one cell; zero vector where they are not coplanar.
Eigen::Vector3d normal_at(const CellMap& map, int row, int col) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  const Eigen::Vector3d& centre = map.cells[static_cast<std::size_t>(row) * map.cols + col].mean_mm;
  std::array<Eigen::Vector3d, 9> near;
  std::size_t n = 0;
  for (int r = std::max(0, row - 1); r <= std::min(map.rows - 1, row + 1); ++r) {
    for (int c = std::max(0, col - 1); c <= std::min(map.cols - 1, col + 1); ++c) {
      const Cell& cell = map.cells[static_cast<std::size_t>(r) * map.cols + c];
      if (cell.points == 0) continue;
      const Eigen::Vector3d d = (cell.mean_mm - centre) / map.edge_mm;
      const Eigen::Vector3d row_of(1, d.x(), d.y());
      normal += row_of * row_of.transpose();
      right += row_of * d.z();
      near[n++] = d;
    }
  }
  if (n < 6) return Eigen::Vector3d::Zero();
  const Eigen::Vector3d plane = solve_symmetric(normal, right);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = near[i].z() - plane[0] - plane[1] * near[i].x() - plane[2] * near[i].y();
    sum += r * r;
  }
  constexpr double most_scatter = 0.05;
  // Negated, so that a singular system (NaN) is rejected too.
  if (!(sum <= most_scatter * most_scatter * static_cast<double>(n))) return Eigen::Vector3d::Zero();
  return Eigen::Vector3d(-plane[1], -plane[2], 1).normalized();
}

}  // namespace

CellMap cell_map(Points points, double edge_mm) {
  const Box box = box_of(points);
  const Eigen::Vector2d size = (box.most - box.least) / edge_mm;
  if (!(size.x() < 4000 && size.y() < 4000)) {
    throw FitRefused("the points spread over more than 4000 cells of " + std::to_string(edge_mm) +
                     " mm: points far away from all others");
  }
  CellMap map;
  map.edge_mm = edge_mm;
  map.cols = static_cast<int>(size.x()) + 1;
  map.rows = static_cast<int>(size.y()) + 1;
  map.cells.resize(static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.cols));
  for (const Eigen::Vector3d& p : points) {
    const auto col = static_cast<std::size_t>((p.x() - box.least.x()) / edge_mm);
    const auto row = static_cast<std::size_t>((p.y() - box.least.y()) / edge_mm);
    Cell& cell = map.cells[row * static_cast<std::size_t>(map.cols) + col];
    cell.mean_mm += p;
    ++cell.points;
  }
  for (Cell& cell : map.cells) {
    if (cell.points > 0) cell.mean_mm /= static_cast<double>(cell.points);
  }
  for (int row = 0; row < map.rows; ++row) {
    for (int col = 0; col < map.cols; ++col) {
      Cell& cell = map.cells[static_cast<std::size_t>(row) * map.cols + col];
      if (cell.points > 0) cell.normal = normal_at(map, row, col);
    }
  }
  return map;
}

}  // namespace datum
