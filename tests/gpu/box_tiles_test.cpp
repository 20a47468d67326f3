// Every pixel of a region lies in exactly one tile, and loads of four stay inside the memory.
#include "gpu/component_height/box_tiles.h"

#include <gtest/gtest.h>

#include <random>

namespace datum {
namespace {

TEST(BoxTiles, HoldEveryPixelOnceInsideTheMemory) {
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
        EXPECT_EQ(tile.col % 4, 0);
        EXPECT_EQ(tile.row / box_tile_side, (tile.row + tile.rows - 1) / box_tile_side);
        EXPECT_EQ(tile.col / box_tile_side, (tile.col + tile.cols - 1) / box_tile_side);
        for (std::int32_t r = 0; r < tile.rows; ++r)
          for (std::int32_t c = 0; c < tile.cols; ++c) ++covered[at(tile.row + r, tile.col + c)];
        // what is read: the border, and up to three columns more
        ASSERT_GE(static_cast<std::ptrdiff_t>(w.first) - std::ptrdiff_t{box_border} * w.pitch - box_border,
                  0);
        ASSERT_LT(at(tile.row + tile.rows - 1 + box_border, tile.col + tile.cols + box_border + 2),
                  layout.size);
        EXPECT_LE(tile.col + tile.cols + 2 * box_border + 3, w.pitch);
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
