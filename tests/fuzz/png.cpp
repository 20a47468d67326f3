// PNG height maps and intensity images.
#include "drivers/sensor/raster_frame.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

DATUM_FUZZ_TARGET(png) {
  fuzz::expect_frame_or_refusal(
      [&] { intensity_from_raster(read_png(fuzz::view(bytes), "a.png"), "a.png"); });
}
