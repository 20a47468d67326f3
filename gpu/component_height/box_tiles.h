// How regions of a frame lie in device memory: windows with a border of zeros, cut into tiles. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/component_height/pixel_run.h"

namespace datum {

/// Pixels of one region: `count` of the runs, from `first` on.
struct RegionRuns {
  std::uint32_t first = 0, count = 0;
};

/// Side of the tiles of a window's grid; width of a window's border: the largest reach.
constexpr std::int32_t box_tile_side = 64, box_border = 16;

/// A tile of the grid, cut down to what belongs to the region: rows from `row`, columns from `col` of the
/// window.
struct BoxTile {
  std::uint32_t region = 0;
  std::int32_t row = 0, col = 0;  // col is a multiple of 4
  std::int32_t rows = 0, cols = 0;
};

/// The window of one region begins at pixel (row0, col0) of the frame, col0 a multiple of 8. Its pixel (row,
/// col) is number first + row * pitch + col of the memory that all windows share.
struct RegionWindow {
  std::int32_t row0 = 0, col0 = 0, rows = 0, cols = 0;
  std::size_t first = 0;   // a multiple of 8, as the pitch is
  std::int32_t pitch = 0;  // with the border, and room to read a last group of four
  std::uint32_t first_tile = 0, tiles = 0;
};

struct BoxLayout {
  std::vector<RegionWindow> windows;  // one per region; without rows where a region has no runs
  std::vector<BoxTile> tiles;         // region after region, those without pixels left out
  std::size_t size = 0;               // of the memory
};

BoxLayout lay_out_boxes(const PixelRun* runs, const RegionRuns* regions, std::size_t count);

}  // namespace datum
