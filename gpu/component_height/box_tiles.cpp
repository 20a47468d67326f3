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
  w.pitch = up_to(w.cols + 2 * box_border + 4, 8);
  return w;
}

/// What the runs cover of one tile of the grid: half open.
struct Cover {
  std::int32_t row0 = INT32_MAX, row1 = 0, col0 = INT32_MAX, col1 = 0;
  void add(std::int32_t row, std::int32_t begin, std::int32_t end) {
    row0 = std::min(row0, row);
    row1 = std::max(row1, row + 1);
    col0 = std::min(col0, begin);
    col1 = std::max(col1, end);
  }
};

void add_tiles(const RegionWindow& w, const PixelRun* runs, std::uint32_t count, std::uint32_t region,
               std::vector<BoxTile>* tiles) {
  const std::int32_t across = (w.cols + box_tile_side - 1) / box_tile_side,
                     down = (w.rows + box_tile_side - 1) / box_tile_side;
  std::vector<Cover> grid(static_cast<std::size_t>(across) * static_cast<std::size_t>(down));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int32_t row = runs[i].row - w.row0, end = runs[i].col - w.col0 + runs[i].length;
    for (std::int32_t col = runs[i].col - w.col0; col < end;) {
      const std::int32_t tile = col / box_tile_side, stop = std::min(end, (tile + 1) * box_tile_side);
      grid[static_cast<std::size_t>(row / box_tile_side) * static_cast<std::size_t>(across) +
           static_cast<std::size_t>(tile)]
          .add(row, col, stop);
      col = stop;
    }
  }
  for (const Cover& c : grid) {
    if (c.row1 == 0) continue;
    const std::int32_t col = c.col0 / 4 * 4;
    tiles->push_back(BoxTile{region, c.row0, col, c.row1 - c.row0, c.col1 - col});
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
