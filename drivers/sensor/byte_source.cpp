#include "drivers/sensor/byte_source.h"

#include <algorithm>

namespace datum {

bool RecordedBytes::agrees(std::uint64_t at, ByteView bytes) const {
  return std::all_of(read_.begin(), read_.end(), [&](const Read& before) {
    const std::uint64_t from = std::max(at, before.at),
                        to = std::min(at + bytes.size(), before.at + before.bytes.size());
    return from >= to ||
           std::memcmp(bytes.data() + (from - at), before.bytes.data() + (from - before.at), to - from) == 0;
  });
}

}  // namespace datum
