// X3P: a ZIP archive, its XML and its matrix.
#include "drivers/sensor/stated_map.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

DATUM_FUZZ_TARGET(x3p) {
  fuzz::expect_frame_or_refusal([&] { read_x3p(fuzz::view(bytes), "a.x3p"); });
}
