#include "gpu/component_height/box_tiles.h"

#include <algorithm>

namespace datum {
namespace {

std::int32_t up_to(std::int32_t n, std::int32_t step) { return (n + step - 1) / step * step; }

RegionWindow window_of(const PixelRun* runs, std::uint32_t count) {
  RegionWindow w;
  if (count == 0) return w;
  std::int32_t row1 = runs[0].row, col0 = runs[0].col, col1 = runs[0].col;
  w.row0 = runs[0].row;
  for (std::uint32_t i = 0; i < count; ++i) {
    w.row0 = std::min(w.row0, runs[i].row);
    row1 = std::max(row1, runs[i].row + 1);
    col0 = std::min(col0, runs[i].col);
    col1 = std::max(col1, runs[i].col + runs[i].length);
  }
  w.col0 = col0 / 8 * 8;
  w.rows = row1 - w.row0;
  w.cols = col1 - w.col0;
  w.pitch = up_to(w.cols, box_cell_cols) + 2 * box_border;
  return w;
}

/// Which cells of a window hold pixels.
class Cells {
 public:
  Cells(const RegionWindow& w, const PixelRun* runs, std::uint32_t count)
      : down((w.rows - 1) / box_cell_rows + 1),
        across((w.cols - 1) / box_cell_cols + 1),
        held_(static_cast<std::size_t>(down) * static_cast<std::size_t>(across)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::int32_t row = (runs[i].row - w.row0) / box_cell_rows, col = runs[i].col - w.col0;
      for (std::int32_t c = col / box_cell_cols; c * box_cell_cols < col + runs[i].length; ++c)
        held_[at(row, c)] = 1;
    }
  }
  /// Whether sums along a row and along a column may both differ from 0 in a cell.
  bool counts(std::int32_t row, std::int32_t col) const {
    if (row >= down || col >= across) return false;
    constexpr std::int32_t rows = box_border / box_cell_rows, cols = box_border / box_cell_cols;
    bool beside = false, above = false;
    for (std::int32_t c = std::max(col - cols, 0); c <= std::min(col + cols, across - 1); ++c)
      beside = beside || held_[at(row, c)];
    for (std::int32_t r = std::max(row - rows, 0); r <= std::min(row + rows, down - 1); ++r)
      above = above || held_[at(r, col)];
    return beside && above;
  }

  const std::int32_t down, across;

 private:
  std::size_t at(std::int32_t row, std::int32_t col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(across) + static_cast<std::size_t>(col);
  }
  std::vector<std::uint8_t> held_;
};
static_assert(box_border % box_cell_rows == 0 && box_border % box_cell_cols == 0);

/// The tile whose first cell is (row, col); without cells where none counts.
BoxTile tile_at(const RegionWindow& w, const Cells& cells, std::int32_t row, std::int32_t col) {
  BoxTile t;
  t.row = row * box_cell_rows;
  t.col = col * box_cell_cols;
  std::int32_t row0 = INT32_MAX, row1 = 0, col0 = INT32_MAX, col1 = 0;
  for (std::int32_t bit = 0; bit < 32; ++bit) {
    const std::int32_t r = row + bit / 8, c = col + bit % 8;
    if (!cells.counts(r, c)) continue;
    t.cells |= 1u << bit;
    row0 = std::min(row0, r * box_cell_rows), row1 = std::max(row1, (r + 1) * box_cell_rows);
    col0 = std::min(col0, c * box_cell_cols), col1 = std::max(col1, (c + 1) * box_cell_cols);
  }
  if (t.cells == 0) return t;
  t.from_row = row0 - box_border;
  t.to_row = std::min(row1, w.rows) + box_border;
  t.from_col = col0 - box_border;
  t.to_col = col1 + box_border;
  return t;
}
static_assert(box_tile_side == 4 * box_cell_rows && box_tile_side == 8 * box_cell_cols);

void add_tiles(const RegionWindow& w, const PixelRun* runs, std::uint32_t count, std::uint32_t region,
               std::vector<BoxTile>* tiles) {
  const Cells cells(w, runs, count);
  for (std::int32_t row = 0; row < cells.down; row += 4)
    for (std::int32_t col = 0; col < cells.across; col += 8) {
      BoxTile t = tile_at(w, cells, row, col);
      t.region = region;
      if (t.cells) tiles->push_back(t);
    }
}

}  // namespace

BoxLayout lay_out_boxes(const PixelRun* runs, const RegionRuns* regions, std::size_t count) {
  BoxLayout layout;
  for (std::size_t i = 0; i < count; ++i) {
    const PixelRun* own = runs + regions[i].first;
    RegionWindow w = window_of(own, regions[i].count);
    w.first = layout.size + static_cast<std::size_t>(w.pitch) * box_border + box_border;
    w.first_tile = static_cast<std::uint32_t>(layout.tiles.size());
    if (w.rows > 0) {
      add_tiles(w, own, regions[i].count, static_cast<std::uint32_t>(i), &layout.tiles);
      layout.size += static_cast<std::size_t>(w.pitch) * static_cast<std::size_t>(w.rows + 2 * box_border);
    }
    w.tiles = static_cast<std::uint32_t>(layout.tiles.size()) - w.first_tile;
    layout.windows.push_back(w);
  }
  return layout;
}

}  // namespace datum
