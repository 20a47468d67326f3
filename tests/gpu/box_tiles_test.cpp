// Every pixel whose sums count lies in exactly one tile, and what is read stays inside the memory.
#include "gpu/component_height/box_tiles.h"

#include <gtest/gtest.h>

#include <random>

namespace datum {
namespace {

TEST(BoxTiles, HoldEveryPixelThatCountsOnceInsideTheMemory) {
  std::mt19937 engine(7);
  const auto below = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<PixelRun> runs;
    std::vector<RegionRuns> regions;
    for (int i = 0; i < 4; ++i) {
      RegionRuns region{static_cast<std::uint32_t>(runs.size()), 0};
      const int row0 = below(100), col0 = below(100), rows = below(3) ? below(200) : below(2);
      const int widest = 1 + below(below(2) ? 300 : 5);
      for (int r = 0; r < rows; ++r)
        for (int col = col0 + below(40), pieces = below(4); pieces > 0; --pieces) {
          const PixelRun run{row0 + r, col, 1 + below(widest)};
          runs.push_back(run);
          col += run.length + below(80);
        }
      region.count = static_cast<std::uint32_t>(runs.size()) - region.first;
      regions.push_back(region);
    }
    const BoxLayout layout = lay_out_boxes(runs.data(), regions.data(), regions.size());
    std::vector<int> owners(layout.size, 0), covered(layout.size, 0);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const RegionWindow& w = layout.windows[i];
      EXPECT_EQ(w.first % 8, 0u);
      EXPECT_EQ(w.pitch % 8, 0);
      EXPECT_EQ(w.col0 % 8, 0);
      const auto at = [&](std::int32_t row, std::int32_t col) {
        return w.first + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(row) * w.pitch + col);
      };
      for (std::uint32_t k = regions[i].first; k < regions[i].first + regions[i].count; ++k)
        for (std::int32_t c = 0; c < runs[k].length; ++c) {
          ASSERT_LT(at(runs[k].row - w.row0, runs[k].col - w.col0 + c), layout.size);
          ++owners[at(runs[k].row - w.row0, runs[k].col - w.col0 + c)];
        }
      for (std::uint32_t t = w.first_tile; t < w.first_tile + w.tiles; ++t) {
        const BoxTile& tile = layout.tiles[t];
        EXPECT_EQ(tile.region, i);
        EXPECT_EQ(tile.row % box_tile_side, 0);
        EXPECT_EQ(tile.col % box_tile_side, 0);
        for (int cell = 0; cell < 32; ++cell) {
          if ((tile.cells >> cell & 1) == 0) continue;
          const std::int32_t row = tile.row + cell / 8 * box_cell_rows,
                             col = tile.col + cell % 8 * box_cell_cols;
          // all that a sum from here along a row or a column may reach is read
          EXPECT_LE(tile.from_row, row - box_border);
          EXPECT_GE(tile.to_row, std::min(row + box_cell_rows, w.rows) + box_border);
          EXPECT_LE(tile.from_col, col - box_border);
          EXPECT_GE(tile.to_col, col + box_cell_cols + box_border);
          for (std::int32_t r = row; r < std::min(row + box_cell_rows, w.rows); ++r)
            for (std::int32_t c = col; c < col + box_cell_cols; ++c) ++covered[at(r, c)];
        }
        // what is read lies in the window's own memory
        EXPECT_EQ(tile.from_col % 8, 0);
        EXPECT_EQ(tile.to_col % 8, 0);
        EXPECT_GE(tile.from_row, -box_border);
        EXPECT_LE(tile.to_row, w.rows + box_border);
        EXPECT_GE(tile.from_col, -box_border);
        EXPECT_LE(tile.to_col, w.pitch - box_border);
      }
      const std::size_t begin = w.first - static_cast<std::size_t>(w.pitch + 1) * box_border;
      if (w.rows > 0) {
        ASSERT_LE(
            begin + static_cast<std::size_t>(w.pitch) * static_cast<std::size_t>(w.rows + 2 * box_border),
            layout.size);
      }
      // a pixel with some of the region beside it and some above or below it is covered
      const auto owned = [&](std::int32_t r, std::int32_t c) {
        return r >= 0 && r < w.rows && c >= 0 && c < w.cols && owners[at(r, c)] > 0;
      };
      for (int probe = 0; probe < 200 && w.rows > 0; ++probe) {
        const std::int32_t r = below(w.rows), c = below(w.cols);
        bool beside = false, above = false;
        for (std::int32_t k = -box_border; k <= box_border; ++k) {
          beside = beside || owned(r, c + k);
          above = above || owned(r + k, c);
        }
        if (beside && above) {
          ASSERT_EQ(covered[at(r, c)], 1) << r << " " << c;
        }
      }
    }
    for (std::size_t p = 0; p < layout.size; ++p) {
      ASSERT_LE(owners[p], 1);
      ASSERT_LE(owners[p], covered[p]);
      ASSERT_LE(covered[p], 1);
    }
  }
}

TEST(BoxTiles, ARegionWithoutRunsHasNone) {
  const RegionRuns none[2];
  const BoxLayout layout = lay_out_boxes(nullptr, none, 2);
  EXPECT_EQ(layout.windows.size(), 2u);
  EXPECT_TRUE(layout.tiles.empty());
  EXPECT_EQ(layout.size, 0u);
}

}  // namespace
}  // namespace datum
