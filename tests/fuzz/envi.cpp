// ENVI: the header up to a NUL, then the data.
#include <algorithm>

#include "drivers/sensor/stated_map.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

DATUM_FUZZ_TARGET(envi) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const std::string_view data = end < bytes.size() ? bytes.substr(end + 1) : std::string_view{};
  fuzz::expect_frame_or_refusal(
      [&] { read_envi(fuzz::view(data), "a.img", fuzz::view(bytes.substr(0, end)), "a.hdr"); });
}
