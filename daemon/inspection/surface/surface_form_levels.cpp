#include <algorithm>
#include <cmath>
#include <vector>

#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_region_form.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr int cell_px = RegionCells::side_px, step_px = 2;

/// Of blocks of cells: how far they lie from a form, on the average.
struct Blocks {
  int side, cols;
  std::vector<double> off, pixels;

  Blocks(const RegionCells& cells, const RegionQuadric& form, int tile_px)
      : side(std::max(1, tile_px / cell_px)), cols((cells.cols + side - 1) / side) {
    off.resize(static_cast<std::size_t>((cells.rows + side - 1) / side * cols));
    pixels.resize(off.size());
    for (int row = 0; row < cells.rows; ++row)
      for (int col = 0; col < cells.cols; ++col) {
        const auto k = static_cast<std::size_t>(row * cells.cols + col);
        if (!(cells.pixels[k] > 0)) continue;
        const std::size_t b = at(row, col);
        off[b] += cells.sum[k] - cells.pixels[k] * form.dot(cells.basis(k));
        pixels[b] += cells.pixels[k];
      }
    for (std::size_t b = 0; b < off.size(); ++b) off[b] /= std::max(1.0, pixels[b]);
  }
  std::size_t at(int row, int col) const { return static_cast<std::size_t>(row / side * cols + col / side); }
};

using CellsOfSnapshots = std::vector<std::shared_ptr<const RegionCells>>;

FormLevels levels_in(const CellsOfSnapshots& cells, const RegionNoise& noise, int window_px,
                     unsigned threads) {
  std::vector<RegionQuadric> forms;
  std::vector<Blocks> blocks;
  double squares = 0, by_noise = 0;
  for (const auto& of_snapshot : cells) {
    blocks.emplace_back(*of_snapshot, of_snapshot->form(), noise.tile_px);
    forms.push_back(of_snapshot->shrunken(of_snapshot->form(), noise));
    for (std::size_t b = 0; b < blocks.back().off.size(); ++b) {
      const double off = blocks.back().off[b];
      squares += blocks.back().pixels[b] * off * off;
      if (blocks.back().pixels[b] > 0) by_noise += noise.sigma_mm * noise.sigma_mm * noise.correlation;
    }
  }
  const double kept = squares > by_noise ? 1 - by_noise / squares : 0;
  constexpr int steps = cell_px / step_px;
  // windows reach from a tile into the next: there are more than the tiles themselves hold
  const double windows_of_tile = std::pow(noise.tile_px - window_px + 1, 2);
  // a cell at the border holds what lies beyond it too: half a cell is on the region
  const auto counts = [&](std::size_t s, std::size_t k) {
    return cells[s]->pixels[k] >= cell_px * cell_px / 2.0;
  };
  std::vector<std::size_t> first{0};  // of each row of cells, and behind the last
  for (std::size_t s = 0; s < cells.size(); ++s)
    for (int row = 0; row < cells[s]->rows; ++row) {
      std::size_t of_row = 0;
      for (int col = 0; col < cells[s]->cols; ++col)
        of_row += counts(s, static_cast<std::size_t>(row * cells[s]->cols + col));
      first.push_back(first.back() + of_row * steps * steps);
    }
  FormLevels levels(first.back());
  std::size_t rows_before = 0;
  for (std::size_t s = 0; s < cells.size(); ++s) {
    const RegionCells& of = *cells[s];
    parallel_for(threads, static_cast<std::size_t>(of.rows), [&](std::size_t r, unsigned) {
      const int row = static_cast<int>(r);
      FormLevel* out = levels.data() + first[rows_before + r];
      for (int col = 0; col < of.cols; ++col) {
        const auto cell = static_cast<std::size_t>(row * of.cols + col);
        if (!counts(s, cell)) continue;
        const double off = kept * blocks[s].off[blocks[s].at(row, col)];
        for (int i = 0; i < steps; ++i)
          for (int k = 0; k < steps; ++k) {
            const double y = row + (i + 0.5) / steps, x = col + (k + 0.5) / steps;
            *out++ = {forms[s].dot(of.basis(y, x)) + off, of.pixels[cell] / steps / steps / windows_of_tile,
                      of.slope(forms[s], y, x) * (window_px - 1) / 2};
          }
      }
    });
    rows_before += static_cast<std::size_t>(of.rows);
  }
  return levels;
}

}  // namespace

FormLevels form_levels(const std::vector<SnapshotGrid>& grids,
                       const std::vector<std::uint16_t>& region_of_point, const std::vector<float>& value,
                       std::size_t region, const RegionNoise& noise, int window_px, unsigned threads) {
  CellsOfSnapshots cells;
  for (std::size_t s = 0; s < grids.size(); ++s)
    cells.push_back(std::make_shared<const RegionCells>(
        RegionPixels(grids[s], region_of_point, value, region), noise.boxes[s], threads));
  return levels_in(cells, noise, window_px, threads);
}

FormLevels form_levels(const RegionNoise& noise, int window_px, unsigned threads) {
  return levels_in(noise.cells, noise, window_px, threads);
}

}  // namespace datum
