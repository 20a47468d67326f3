// Which parts of a frame a board is measured from. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/board_plan.h"

namespace datum {

/// Numbers of 16-byte pieces of a frame, ascending, each once. Whole groups of eight pixels: nothing else of a frame is
/// read.
struct FramePieces {
  std::vector<std::uint32_t> rings;
  std::vector<std::uint32_t> bodies;  // those that no ring has
};

constexpr std::size_t piece_bytes = 16;

/// Bytes of one count.
std::size_t count_bytes(CountType type);

/// For a plan that check() accepts and frames of `pitch` counts from row to row, a multiple of 8. Throws
/// std::invalid_argument for a frame of 2^32 pieces.
FramePieces frame_pieces(const BoardPlan& plan, std::int32_t pitch);

}  // namespace datum
