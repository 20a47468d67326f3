// One row of a snapshot's points as pixels side by side, for loops that the compiler vectorises.
#pragma once

#include <cstdint>
#include <cstring>

#include "daemon/inspection/surface/surface_compare.h"
#include "gpu/core/portable.h"

namespace datum {

/// Pixels that such a loop takes at once; rows are as long as a multiple of it.
inline constexpr std::size_t pixel_block = 16;
/// Rows of a snapshot that a thread takes at once.
inline constexpr std::size_t band_rows = 16;
inline std::size_t in_blocks(std::size_t pixels) {
  return (pixels + pixel_block - 1) / pixel_block * pixel_block;
}

/// Calls all(col, first) for a block of pixels that are points first, first + 1 ..., none(col) for one without points,
/// and each(col, point or no_point) for the pixels of others and of what is less than a block. Points of a row follow each other.
template <class All, class None, class Each>
static inline __attribute__((always_inline)) void walk_row(const std::uint32_t* point, std::size_t cols,
                                                           const All& all, const None& none,
                                                           const Each& each) {
  std::size_t col = 0;
  for (; col + pixel_block <= cols; col += pixel_block) {
    const std::uint32_t first = point[col];
    std::uint32_t off = 0, seen = 0;
    for (std::uint32_t k = 0; k < pixel_block; ++k) {
      off |= point[col + k] ^ (first + k);
      seen |= ~point[col + k];
    }
    if (off == 0 && first != no_point) {  // behind no_point comes point 0
      all(col, first);
    } else if (seen == 0) {
      none(col);
    } else {
      for (std::size_t k = 0; k < pixel_block; ++k) each(col + k, point[col + k]);
    }
  }
  for (; col < cols; ++col) each(col, point[col]);
}

}  // namespace datum
