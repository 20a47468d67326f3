// The plainest TIFF: uncompressed grey strips, as written by virtual-sensor and most sensors.
#pragma once

#include <optional>

#include "drivers/sensor/byte_source.h"
#include "drivers/sensor/raster.h"
#include "drivers/sensor/stored_image.h"

namespace datum {

/// Image of a classic little-endian TIFF with one uncompressed grey image in whole strips and known tags
/// only. None for every other file, including damaged ones; read_tiff reports on them. read_tiff gives the
/// same image for every accepted file. Reads no byte outside `file`, never allocates more than its size
/// and 32 bytes for each of at most 2^20 strips, visits each of at most 32 tags and each strip once, and throws only std::bad_alloc, so that datumd may
/// call it in its own process (datumd(8), PARSERS APART). Layout: TIFF revision 6.0, sections 2, 4 and 8.
std::optional<Raster> read_plain_tiff(ByteView file, std::uint64_t most_pixels = most_frame_pixels);
/// Its samples' places; the same files are accepted. Reads the head, the directory, and the strips' places and
/// lengths, each once. Throws what `file` throws.
std::optional<StoredImage> plain_tiff_image(const ByteSource& file, std::uint64_t most_pixels);

}  // namespace datum
