// The rings of a plan as a device reads them: aligned groups of pixels, and tiles of groups for its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/board_plan.h"

namespace datum {

constexpr int group_px = 8;  // pixels of one row that begin at a multiple of 8 columns
constexpr std::uint32_t tile_groups = 512;

/// Eight pixels of a row, some of which belong to a ring.
struct alignas(16) PixelGroup {
  std::uint32_t at = 0;           // group of the image: (row * pitch + col) / 8
  std::int32_t row = 0, col = 0;  // of its first pixel
  // bits 0 to 7: which belong; 8 to 15 and 16 to 23: low and high bit of their sides
  std::uint32_t pixels = 0;
};

/// Part of a ring that one block takes: groups [first, first + count).
struct RingTile {
  std::uint32_t site = 0, first = 0, count = 0;
};

struct RingTable {
  std::vector<PixelGroup> groups;
  std::vector<RingTile> tiles;  // by sites, at least one of each
};

/// Height maps of `pitch` counts from row to row, a multiple of 8. The plan is one that check() accepts.
/// Throws std::invalid_argument where the runs of one ring overlap or a frame has 2^32 groups.
RingTable ring_table(const BoardPlan& plan, std::int32_t pitch);

}  // namespace datum
