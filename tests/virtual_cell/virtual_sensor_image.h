// Image files in memory, by libtiff and libpng.
#pragma once

#include <cstdint>
#include <vector>

namespace datum {

enum class TiffSample : std::uint8_t { uint8, int16, float32 };

/// Uncompressed one-sample TIFF of row-major pixels. Throws std::runtime_error.
std::vector<std::uint8_t> tiff_of(const void* pixels, int rows, int cols, TiffSample sample);

/// 16-bit grey PNG. Throws std::runtime_error.
std::vector<std::uint8_t> png_of(const std::vector<std::uint16_t>& pixels, int rows, int cols);

}  // namespace datum
