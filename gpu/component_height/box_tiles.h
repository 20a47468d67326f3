// How regions of a frame lie in device memory: windows with a border of zeros, cut into tiles. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/pixel_run.h"

namespace datum {

/// Pixels of one region: `count` of the runs, from `first` on.
struct RegionRuns {
  std::uint32_t first = 0, count = 0;
};

/// Side of the tiles of a window's grid; width of a window's border: the largest reach.
constexpr std::int32_t box_tile_side = 64, box_border = 16;
/// A tile's cells: 4 x 8 of them.
constexpr std::int32_t box_cell_rows = 16, box_cell_cols = 8;

/// A tile of the grid. Rows and columns count in the window.
struct BoxTile {
  std::uint32_t region = 0;
  std::int32_t row = 0, col = 0;  // of its first pixel: multiples of 64
  // bit 8 i + j: cell (i, j) may hold a pixel with some of the region within the border's width in its row, and some
  // in its column
  std::uint32_t cells = 0;
  // all that is read for them, half open: columns are multiples of 8, what lies outside counts as 0
  std::int32_t from_row = 0, to_row = 0, from_col = 0, to_col = 0;
};

/// The window of one region begins at pixel (row0, col0) of the frame, col0 a multiple of 8. Its pixel (row,
/// col) is number first + row * pitch + col of the memory that all windows share.
struct RegionWindow {
  std::int32_t row0 = 0, col0 = 0, rows = 0, cols = 0;
  std::size_t first = 0;   // a multiple of 8, as the pitch is
  std::int32_t pitch = 0;  // with the border on both sides of whole cells
  std::uint32_t first_tile = 0, tiles = 0;
};

struct BoxLayout {
  std::vector<RegionWindow> windows;  // one per region; without rows where a region has no runs
  std::vector<BoxTile> tiles;         // region after region, those without cells left out
  std::size_t size = 0;               // of the memory
};

BoxLayout lay_out_boxes(const PixelRun* runs, const RegionRuns* regions, std::size_t count);

}  // namespace datum
