#include "calib/artefact/plates.h"

#include <algorithm>
#include <cmath>

#include "calib/fit/construction.h"

namespace datum {

namespace {

// A bin of the slopes' histogram; 0.6 degrees.
constexpr double bin = 0.01;
// Cells within this height of a level belong to it.
constexpr double level_mm = 0.3;

Eigen::Vector2d slope_of(const Cell& cell) { return -cell.normal.head<2>() / cell.normal.z(); }

/// The most frequent slope: the fullest 3 x 3 bins, then the mean of the slopes within 1.5 bins of their
/// middle.
Eigen::Vector2d common_slope(const std::vector<const Cell*>& cells, double most_slope) {
  const int half = static_cast<int>(std::ceil(most_slope / bin)) + 1, width = 2 * half + 1;
  std::vector<int> count(static_cast<std::size_t>(width) * width, 0);
  const auto at = [&](int i, int j) -> int& { return count[static_cast<std::size_t>(i) * width + j]; };
  for (const Cell* cell : cells) {
    const Eigen::Vector2d s = slope_of(*cell) / bin;
    ++at(half + static_cast<int>(std::lround(s.x())), half + static_cast<int>(std::lround(s.y())));
  }
  int most = -1;
  Eigen::Vector2d best(0, 0);
  for (int i = 1; i + 1 < width; ++i) {
    for (int j = 1; j + 1 < width; ++j) {
      int sum = 0;
      for (int k = -1; k <= 1; ++k) sum += at(i + k, j - 1) + at(i + k, j) + at(i + k, j + 1);
      if (sum > most) most = sum, best = {(i - half) * bin, (j - half) * bin};
    }
  }
  Eigen::Vector2d mean(0, 0);
  int n = 0;
  for (const Cell* cell : cells) {
    if ((slope_of(*cell) - best).norm() > 1.5 * bin) continue;
    mean += slope_of(*cell);
    ++n;
  }
  return n > 0 ? Eigen::Vector2d(mean / n) : best;
}

/// The fullest level of cells of about this slope.
std::vector<Eigen::Vector3d> fullest_level(const std::vector<const Cell*>& cells,
                                           const Eigen::Vector2d& slope) {
  std::vector<std::pair<double, const Cell*>> heights;
  for (const Cell* cell : cells) {
    if ((slope_of(*cell) - slope).norm() > 3 * bin) continue;
    heights.emplace_back(cell->mean_mm.z() - slope.dot(cell->mean_mm.head<2>()), cell);
  }
  std::sort(heights.begin(), heights.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t best = 0, best_end = 0, end = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    while (end < heights.size() && heights[end].first - heights[i].first <= level_mm) ++end;
    if (end - i > best_end - best) best = i, best_end = end;
  }
  std::vector<Eigen::Vector3d> level;
  for (std::size_t i = best; i < best_end; ++i) level.push_back(heights[i].second->mean_mm);
  return level;
}

}  // namespace

std::vector<Plate> plates_in(const CellMap& map, double tilt_limit_rad, double least_area_mm2) {
  const double most_slope = std::tan(tilt_limit_rad);
  std::vector<const Cell*> level;
  for (const Cell& cell : map.cells) {
    if (cell.smooth() && slope_of(cell).norm() <= most_slope) level.push_back(&cell);
  }
  std::vector<Plate> plates;
  constexpr std::size_t most_plates = 4;
  const double cell_mm2 = map.edge_mm * map.edge_mm;
  while (plates.size() < most_plates && static_cast<double>(level.size()) * cell_mm2 >= least_area_mm2) {
    const auto on_it = fullest_level(level, common_slope(level, most_slope));
    if (static_cast<double>(on_it.size()) * cell_mm2 < least_area_mm2) break;
    const Plane3 plane = fit_plane(on_it, Eigen::Vector3d::UnitZ()).feature;
    plates.push_back({plane, static_cast<double>(on_it.size()) * cell_mm2});
    const auto taken = [&](const Cell* cell) {
      return std::abs(distance_mm(plane, cell->mean_mm)) < level_mm;
    };
    const auto rest = std::remove_if(level.begin(), level.end(), taken);
    if (rest == level.end()) break;
    level.erase(rest, level.end());
  }
  std::stable_sort(plates.begin(), plates.end(),
                   [](const Plate& a, const Plate& b) { return a.area_mm2 > b.area_mm2; });
  return plates;
}

}  // namespace datum
