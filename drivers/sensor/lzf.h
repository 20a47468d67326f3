// LZF, the compression of binary_compressed PCD files (format: LibLZF 3.6).
#pragma once

#include "drivers/sensor/file_bytes.h"

namespace datum {

/// Decompresses `packed` to exactly `size` bytes. Throws FrameError naming `name` for more or fewer bytes, or
/// a reference before the start.
Bytes unpack_lzf(ByteView packed, std::size_t size, const std::string& name);

}  // namespace datum
