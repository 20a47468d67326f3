// Raster: one grey image of a file, before its samples are interpreted.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

using Samples = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::int16_t>,
                             std::vector<std::int32_t>, std::vector<float>>;

struct Raster {
  int rows = 0, cols = 0;
  Samples samples;  // row-major, rows*cols, host byte order
};

/// Image of a TIFF file: one grey image (strips or tiles, either byte order, classic or BigTIFF) of 8- or
/// 16-bit unsigned, 16- or 32-bit signed or 32-bit float samples, uncompressed or losslessly compressed.
/// `name` is the file's name in messages. Throws FrameError: colour, palette, several images, an orientation
/// other than top-left, lossy compression (it would alter heights), truncation, more than `most_pixels`.
Raster read_tiff(ByteView file, const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

/// Image of a grey PNG file of 8 or 16 bits. Throws FrameError: colour, palette, alpha, fewer bits, a damaged
/// or truncated file, trailing bytes, more than `most_pixels`.
Raster read_png(ByteView file, const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

/// Refuses dimensions that a file of this size can't hold, so that a decoder does not allocate by a damaged
/// header. The ratio 4096 exceeds lossless coding (deflate ends at 1032:1, LZW at about 1300:1). Also refuses
/// more than `most_pixels`, a setting of [sensor].
void check_raster_size(std::uint64_t rows, std::uint64_t cols, unsigned sample_bytes, std::size_t file_bytes,
                       const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

}  // namespace datum
