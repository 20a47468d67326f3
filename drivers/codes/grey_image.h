// An 8-bit grey image.
#pragma once

#include <cstdint>
#include <vector>

namespace datum {

struct GreyImage {
  int cols = 0, rows = 0;
  std::vector<std::uint8_t> grey;  // rows * cols, row by row from the upper left pixel
};

/// Pixels of an image in which a code is looked for.
inline constexpr int most_code_pixels = 4'000'000;

}  // namespace datum
