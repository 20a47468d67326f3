// TIFF height maps, and the frame of a sidecar; the plain reader agrees with libtiff on every accepted file.
#include <cstring>

#include "drivers/sensor/plain_tiff.h"
#include "drivers/sensor/raster_frame.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

namespace {

bool are_same(const Raster& a, const Raster& b) {
  return a.rows == b.rows && a.cols == b.cols &&
         std::visit(
             [](const auto& x, const auto& y) {
               return sizeof x[0] == sizeof y[0] && x.size() == y.size() &&
                      std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
             },
             a.samples, b.samples);
}

}  // namespace

DATUM_FUZZ_TARGET(tiff) {
  const auto plain = read_plain_tiff(fuzz::view(bytes));
  bool is_read = false;
  fuzz::expect_frame_or_refusal([&] {
    FrameSidecar sidecar;
    sidecar.invalid = {InvalidMark::Kind::value, -32768};
    Raster raster = read_tiff(fuzz::view(bytes), "a.tif");
    is_read = true;
    if (plain) fuzz::expect(are_same(*plain, raster), "the plain reader says what libtiff says");
    frame_from_raster(std::move(raster), sidecar, "a.tif");
  });
  fuzz::expect(!plain || is_read, "the plain reader accepts what libtiff refuses");
}
