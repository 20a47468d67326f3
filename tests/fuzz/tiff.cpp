// TIFF height maps, and the frame that a sidecar makes of them.
#include "drivers/sensor/raster_frame.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

DATUM_FUZZ_TARGET(tiff) {
  fuzz::expect_frame_or_refusal([&] {
    FrameSidecar sidecar;
    sidecar.invalid = {InvalidMark::Kind::value, -32768};
    frame_from_raster(read_tiff(fuzz::view(bytes), "a.tif"), sidecar, "a.tif");
  });
}
