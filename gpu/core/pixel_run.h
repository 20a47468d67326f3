// A region of a frame as pieces of its rows. C++17: CUDA sources include this header.
#pragma once

#include <cstdint>

namespace datum {

/// Pixels (row, col) to (row, col + length - 1). Values of a region lie one run after the other.
struct PixelRun {
  std::int32_t row = 0, col = 0, length = 0;
};

}  // namespace datum
