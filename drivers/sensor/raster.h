// Raster: one grey image as its file delivers it, before anybody says what a sample means.
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

/// Image of a TIFF file: one grey image (strips or tiles, either byte order, classic or BigTIFF) of 8 or
/// 16-bit unsigned, 16 or 32-bit signed or 32-bit float samples; stored plainly or with a lossless
/// compression. `name` stands for the file in messages. Throws FrameError: colour, palette, several images,
/// another orientation than top-left, a lossy compression (it would alter heights), truncation, more than `most_pixels`.
Raster read_tiff(ByteView file, const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

/// Image of a grey PNG file of 8 or 16 bits. Throws FrameError: colour, palette, alpha, fewer bits, a damaged
/// or truncated file, bytes after its end, more than `most_pixels`.
Raster read_png(ByteView file, const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

/// Refuses dimensions that no file of this size can hold: a decoder must not allocate what a broken header
/// asks for. 4096 is above what lossless coding makes of any measured map (deflate ends at 1032:1, LZW at
/// about 1300:1). Refuses more than `most_pixels` too, which [sensor] of the configuration sets.
void check_raster_size(std::uint64_t rows, std::uint64_t cols, unsigned sample_bytes, std::size_t file_bytes,
                       const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

}  // namespace datum
