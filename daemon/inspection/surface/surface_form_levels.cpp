#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_region_form.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr int cell_px = RegionCells::side_px, step_px = 2;

/// Of blocks of cells: how far they lie from the form, on the average.
struct Blocks {
  const RegionCells& cells;
  int side, rows, cols;
  std::vector<double> off, pixels;

  Blocks(const RegionCells& of, int tile_px)
      : cells(of),
        side(std::max(1, tile_px / cell_px)),
        rows((of.rows + side - 1) / side),
        cols((of.cols + side - 1) / side) {
    off.resize(static_cast<std::size_t>(rows * cols));
    pixels.resize(off.size());
  }
  /// Each row of blocks once, on any thread.
  void add_row(int of_blocks) {
    for (int row = of_blocks * side; row < std::min(cells.rows, (of_blocks + 1) * side); ++row) {
      const double u = cells.u_of(row + 0.5);
      for (int col = 0; col < cells.cols; ++col) {
        const auto k = static_cast<std::size_t>(row * cells.cols + col);
        if (!(cells.pixels[k] > 0)) continue;
        const std::size_t b = at(row, col);
        const double v = cells.v_of_cols()[static_cast<std::size_t>(col)];
        off[b] += cells.sum[k] - cells.pixels[k] * height_at(cells.form(), u, v);
        pixels[b] += cells.pixels[k];
      }
    }
    for (std::size_t b = at(of_blocks * side, 0); b < at((of_blocks + 1) * side, 0); ++b)
      off[b] /= std::max(1.0, pixels[b]);
  }
  std::size_t at(int row, int col) const { return static_cast<std::size_t>(row / side * cols + col / side); }
};

constexpr int steps = cell_px / step_px;
static_assert(steps * steps == FormLevels::of_cell);
using OfCell = std::array<double, FormLevels::of_cell>;  // row by row

/// std::hypot(a, b) of lengths, the same on every machine: the root of the sum of squares, less what its own square exceeds them by (C. F.
/// Borges, "An improved algorithm for hypot(a, b)", 2019).
__attribute__((always_inline)) inline double length_of(double a, double b) {
  const double x = a > b ? a : b, y = a > b ? b : a, h = std::sqrt(x * x + y * y);
  const double past_y = h - y, past_x = h - x;
  const double near = x * (2 * past_y - x) + (past_y - 2 * (x - y)) * past_y;
  const double far = 2 * past_x * (x - 2 * y) + ((4 * past_x - y) * y + past_x * past_x);
  const double twice = h > 0 ? 2 * h : 1;
  return h - (h <= 2 * y ? near : far) / twice;
}

/// Levels of one row of cells.
class LevelsOfRow {
 public:
  LevelsOfRow(const RegionCells& cells, const RegionQuadric& form, const RegionNoise& noise, int window_px,
              int row)
      : cells_(cells), form_(form), noise_mm_(std::fabs(noise.window_mean_mm)), reach_(window_px - 1) {
    for (int i = 0; i < steps * steps; ++i)
      u_[static_cast<std::size_t>(i)] = cells.u_of(row + (i / steps + 0.5) / steps);
    lowest_.fill(-HUGE_VAL);
    low_edge_ = highest_ = high_edge_ = lowest_;
  }

  __attribute__((always_inline)) void add(int col, double off_mm, double* mm_out, double* fall_out) {
    const double two_rows = cells_.rows, two_cols = cells_.cols, reach = reach_, noise_mm = noise_mm_;
    OfCell u = u_, v, mm, drop, fall;
    for (int i = 0; i < steps * steps; ++i) v[static_cast<std::size_t>(i)] = col + (i % steps + 0.5) / steps;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 2 * v[i] / two_cols - 1;
    const double q0 = form_[0], q1 = form_[1], q2 = form_[2], q3 = form_[3], q4 = form_[4], q5 = form_[5];
    for (std::size_t i = 0; i < v.size(); ++i)
      mm[i] = ((q0 + (q2 * v[i] + q4 * (u[i] * v[i]))) +
               (q1 * u[i] + (q3 * (u[i] * u[i]) + q5 * (v[i] * v[i])))) +
              off_mm;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double down = std::fabs(q1 + 2 * q3 * u[i] + q4 * v[i]) * 2 / two_rows / cell_px;
      const double right = std::fabs(q2 + 2 * q5 * v[i] + q4 * u[i]) * 2 / two_cols / cell_px;
      drop[i] = (down + right) * reach / 2;
    }
    for (std::size_t i = 0; i < v.size(); ++i) fall[i] = length_of(noise_mm, drop[i]);
    std::memcpy(mm_out, mm.data(), sizeof mm);
    std::memcpy(fall_out, fall.data(), sizeof fall);
    for (std::size_t i = 0; i < v.size(); ++i) widen(highest_[i], mm[i] - fall[i] + noise_mm);
    for (std::size_t i = 0; i < v.size(); ++i) widen(lowest_[i], -mm[i] - fall[i] + noise_mm);
    for (std::size_t i = 0; i < v.size(); ++i) widen(high_edge_[i], mm[i] - drop[i]);
    for (std::size_t i = 0; i < v.size(); ++i) widen(low_edge_[i], -mm[i] - drop[i]);
  }
  FormLevels::Side lowest() const { return {largest(lowest_), largest(low_edge_)}; }
  FormLevels::Side highest() const { return {largest(highest_), largest(high_edge_)}; }

 private:
  static __attribute__((always_inline)) void widen(double& to, double v) { to = v > to ? v : to; }
  static double largest(const OfCell& of) { return *std::max_element(of.begin(), of.end()); }

  const RegionCells& cells_;
  const RegionQuadric& form_;
  double noise_mm_, reach_;
  OfCell u_, lowest_, low_edge_, highest_, high_edge_;
};

using CellsOfSnapshots = std::vector<std::shared_ptr<const RegionCells>>;

FormLevels levels_in(const CellsOfSnapshots& cells, const RegionNoise& noise, int window_px,
                     unsigned threads) {
  // a cell at the border holds what lies beyond it too: half a cell is on the region
  const auto counts = [](const RegionCells& of, std::size_t k) {
    return of.pixels[k] >= cell_px * cell_px / 2.0;
  };
  std::vector<RegionQuadric> forms;
  std::vector<Blocks> blocks;
  struct Row {  // of cells
    std::size_t snapshot;
    int row;
    std::size_t first;  // cells that count: in the row, then before it
    FormLevels::Side lowest, highest;
  };
  std::vector<Row> rows;
  std::vector<std::array<int, 2>> rows_of_blocks;
  for (std::size_t s = 0; s < cells.size(); ++s) {
    forms.push_back(cells[s]->shrunken_form(noise));
    blocks.emplace_back(*cells[s], noise.tile_px);
    for (int row = 0; row < cells[s]->rows; ++row) rows.push_back({s, row, 0, {}, {}});
    for (int row = 0; row < blocks[s].rows; ++row) rows_of_blocks.push_back({static_cast<int>(s), row});
  }
  parallel_for(threads, std::max(rows.size(), rows_of_blocks.size()), [&](std::size_t i, unsigned) {
    if (i < rows_of_blocks.size())
      blocks[static_cast<std::size_t>(rows_of_blocks[i][0])].add_row(rows_of_blocks[i][1]);
    if (i >= rows.size()) return;
    const RegionCells& of = *cells[rows[i].snapshot];
    const auto first = static_cast<std::size_t>(rows[i].row) * static_cast<std::size_t>(of.cols);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(of.cols); ++k)
      rows[i].first += counts(of, k) ? 1 : 0;
  });
  double squares = 0, by_noise = 0;
  for (const Blocks& of_snapshot : blocks)
    for (std::size_t b = 0; b < of_snapshot.off.size(); ++b) {
      const double off = of_snapshot.off[b];
      squares += of_snapshot.pixels[b] * off * off;
      if (of_snapshot.pixels[b] > 0) by_noise += noise.sigma_mm * noise.sigma_mm * noise.correlation;
    }
  const double kept = squares > by_noise ? 1 - by_noise / squares : 0;
  // windows reach from a tile into the next: there are more than the tiles themselves hold
  const double windows_of_tile = std::pow(noise.tile_px - window_px + 1, 2);
  std::size_t all = 0;
  for (Row& row : rows) all += std::exchange(row.first, all);
  FormLevels levels;
  levels.share.resize(all);
  levels.mm.resize(FormLevels::of_cell * all);
  levels.fall_mm.resize(levels.mm.size());
  parallel_for(threads, rows.size(), [&](std::size_t i, unsigned) {
    Row& r = rows[i];
    const RegionCells& of = *cells[r.snapshot];
    const Blocks& of_blocks = blocks[r.snapshot];
    LevelsOfRow of_row(of, forms[r.snapshot], noise, window_px, r.row);
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      std::size_t out = r.first;
      for (int col = 0; col < of.cols; ++col) {
        const auto cell = static_cast<std::size_t>(r.row * of.cols + col);
        if (!counts(of, cell)) continue;
        levels.share[out] = of.pixels[cell] / steps / steps / windows_of_tile;
        of_row.add(col, kept * of_blocks.off[of_blocks.at(r.row, col)],
                   levels.mm.data() + FormLevels::of_cell * out,
                   levels.fall_mm.data() + FormLevels::of_cell * out);
        ++out;
      }
    });
    r.lowest = of_row.lowest();
    r.highest = of_row.highest();
  });
  for (const Row& row : rows) {
    levels.lowest.take(row.lowest);
    levels.highest.take(row.highest);
  }
  return levels;
}

}  // namespace

FormLevels form_levels(const std::vector<SnapshotGrid>& grids,
                       const std::vector<std::uint16_t>& region_of_point, const std::vector<float>& value,
                       std::size_t region, const RegionNoise& noise, int window_px, unsigned threads) {
  CellsOfSnapshots cells;
  for (std::size_t s = 0; s < grids.size(); ++s) {
    const RegionPixels pixels(grids[s], region_of_point, value, region);
    const auto of = std::make_shared<RegionCells>(noise.boxes[s]);
    parallel_for(threads, static_cast<std::size_t>(of->rows),
                 [&](std::size_t row, unsigned) { of->add_row(pixels, row); });
    of->fit();
    of->find_spread();
    cells.push_back(of);
  }
  return levels_in(cells, noise, window_px, threads);
}

FormLevels form_levels(const RegionNoise& noise, int window_px, unsigned threads) {
  return levels_in(noise.cells, noise, window_px, threads);
}

}  // namespace datum
