// The plainest TIFF: uncompressed grey strips, as virtual-sensor and most sensors write them.
#pragma once

#include <optional>

#include "drivers/sensor/raster.h"

namespace datum {

/// Image of a classic little-endian TIFF of one uncompressed grey image in whole strips, whose tags are all known here. Nothing
/// for every other file, damaged ones too: read_tiff says what they are. What this accepts read_tiff reads alike. Reads no byte
/// outside `file`, never allocates more than its size, looks at each of at most 32 tags and each strip once, and throws nothing
/// but std::bad_alloc: datumd itself may read it (datumd(8), PARSERS APART). Layout: TIFF revision 6.0, sections 2, 4 and 8.
std::optional<Raster> read_plain_tiff(ByteView file, std::uint64_t most_pixels = most_frame_pixels);

}  // namespace datum
