#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_region_pixels.h"

namespace datum {
namespace {

constexpr int cell_px = 8, step_px = 2;

using Quadric = Eigen::Matrix<double, 6, 1>;

/// Means of cells of one snapshot.
struct Cells {
  int rows = 0, cols = 0;
  std::vector<double> sum, pixels;

  Cells(const RegionPixels& all, const RegionNoise::Box& box)
      : rows((box.bottom - box.top + cell_px - 1) / cell_px),
        cols((box.right - box.left + cell_px - 1) / cell_px),
        sum(static_cast<std::size_t>(rows * cols)),
        pixels(sum.size()) {
    for (int row = box.top; row < box.bottom; ++row)
      for (int col = box.left; col < box.right; ++col)
        if (const float v = all.at(row, col); !std::isnan(v)) {
          const auto k =
              static_cast<std::size_t>((row - box.top) / cell_px * cols + (col - box.left) / cell_px);
          sum[k] += v;
          pixels[k] += 1;
        }
  }
  /// Basis at a place in cells.
  Quadric basis(double row, double col) const {
    const double u = 2 * row / rows - 1, v = 2 * col / cols - 1;
    return (Quadric() << 1, u, v, u * u, u * v, v * v).finished();
  }
  /// Change of a form over one pixel along a row plus that along a column.
  double slope(const Quadric& form, double row, double col) const {
    const double u = 2 * row / rows - 1, v = 2 * col / cols - 1;
    return std::abs(form[1] + 2 * form[3] * u + form[4] * v) * 2 / rows / cell_px +
           std::abs(form[2] + 2 * form[5] * v + form[4] * u) * 2 / cols / cell_px;
  }
  /// Least squares; a plane or a mean for too few cells.
  Quadric form() const {
    Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
    Quadric right = Quadric::Zero();
    int seen = 0;
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col) {
        const auto k = static_cast<std::size_t>(row * cols + col);
        if (!(pixels[k] > 0)) continue;
        const Quadric b = basis(row + 0.5, col + 0.5);
        normal += pixels[k] * b * b.transpose();
        right += sum[k] * b;
        ++seen;
      }
    const Eigen::Index n = seen >= 24 ? 6 : seen >= 9 ? 3 : 1;
    Quadric q = Quadric::Zero();
    if (seen > 0) q.head(n) = normal.topLeftCorner(n, n).ldlt().solve(right.head(n));
    return q;
  }
};

/// Mean deviations of blocks of cells from a form.
struct Blocks {
  int side, cols;
  std::vector<double> off, pixels;

  Blocks(const Cells& cells, const Quadric& form, int tile_px)
      : side(std::max(1, tile_px / cell_px)), cols((cells.cols + side - 1) / side) {
    off.resize(static_cast<std::size_t>((cells.rows + side - 1) / side * cols));
    pixels.resize(off.size());
    for (int row = 0; row < cells.rows; ++row)
      for (int col = 0; col < cells.cols; ++col) {
        const auto k = static_cast<std::size_t>(row * cells.cols + col);
        if (!(cells.pixels[k] > 0)) continue;
        const std::size_t b = at(row, col);
        off[b] += cells.sum[k] - cells.pixels[k] * form.dot(cells.basis(row + 0.5, col + 0.5));
        pixels[b] += cells.pixels[k];
      }
    for (std::size_t b = 0; b < off.size(); ++b) off[b] /= std::max(1.0, pixels[b]);
  }
  std::size_t at(int row, int col) const { return static_cast<std::size_t>(row / side * cols + col / side); }
};

}  // namespace

std::vector<FormLevel> form_levels(const std::vector<SnapshotGrid>& grids,
                                   const std::vector<std::uint16_t>& region_of_point,
                                   const std::vector<float>& value, std::size_t region,
                                   const RegionNoise& noise, int window_px) {
  std::vector<Cells> cells;
  std::vector<Quadric> forms;
  std::vector<Blocks> blocks;
  double squares = 0, by_noise = 0;
  for (std::size_t s = 0; s < grids.size(); ++s) {
    cells.emplace_back(RegionPixels(grids[s], region_of_point, value, region), noise.boxes[s]);
    forms.push_back(cells.back().form());
    blocks.emplace_back(cells.back(), forms.back(), noise.tile_px);
    for (std::size_t b = 0; b < blocks.back().off.size(); ++b) {
      const double off = blocks.back().off[b];
      squares += blocks.back().pixels[b] * off * off;
      if (blocks.back().pixels[b] > 0) by_noise += noise.sigma_mm * noise.sigma_mm * noise.correlation;
    }
  }
  const double kept = squares > by_noise ? 1 - by_noise / squares : 0;
  constexpr int steps = cell_px / step_px;
  std::vector<FormLevel> levels;
  for (std::size_t s = 0; s < grids.size(); ++s)
    for (int row = 0; row < cells[s].rows; ++row)
      for (int col = 0; col < cells[s].cols; ++col) {
        const double pixels = cells[s].pixels[static_cast<std::size_t>(row * cells[s].cols + col)];
        // a border cell also covers pixels outside: at least half a cell is in the region
        if (pixels < cell_px * cell_px / 2.0) continue;
        const double off = kept * blocks[s].off[blocks[s].at(row, col)];
        for (int r = 0; r < steps; ++r)
          for (int c = 0; c < steps; ++c) {
            const double y = row + (r + 0.5) / steps, x = col + (c + 0.5) / steps;
            levels.push_back({forms[s].dot(cells[s].basis(y, x)) + off,
                              pixels / steps / steps / noise.tile_px / noise.tile_px,
                              cells[s].slope(forms[s], y, x) * (window_px - 1) / 2});
          }
      }
  return levels;
}

}  // namespace datum
