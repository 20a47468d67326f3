// TIFF height maps, and the frame of a sidecar; the plain reader agrees with libtiff on every accepted file.
#include <unistd.h>

#include <cstring>

#include "drivers/sensor/frame_pass.h"
#include "drivers/sensor/plain_tiff.h"
#include "drivers/sensor/raster_frame.h"
#include "tests/fuzz/frame_bytes.h"
#include "tests/fuzz/memory_file.h"

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

/// The frame by one pass over the file; none: it is no file for that.
std::optional<HeightFrame> frame_by_pass(std::string_view bytes, const FrameSidecar& sidecar) {
  static fuzz::MemoryFile memory;
  memory.holding(bytes);
  const DeliveredFile file(Descriptor(::dup(memory.fd())), "a.tif", bytes.size());
  const RecordedBytes described(file);
  const auto image = plain_tiff_image(described, most_frame_pixels);
  if (!image || !image->is_in_order()) return std::nullopt;
  HeightFrame frame = frame_of_sidecar(sidecar, image->rows, image->cols, "a.tif");
  make_room(frame, image->as, {});
  const auto pixels =
      pixel_pass(frame, image->as, image->big_endian, {sidecar.invalid, nullptr, false}, "a.tif");
  pass_over(file, described, *image, *pixels, {}, false);
  pixels->finish();
  return frame;
}

bool have_same_pixels(const HeightFrame& a, const HeightFrame& b) {
  return a.classes == b.classes && std::visit(
                                       [](const auto& x, const auto& y) {
                                         return sizeof x[0] == sizeof y[0] && x.size() == y.size() &&
                                                std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
                                       },
                                       a.counts, b.counts);
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
    const HeightFrame frame = frame_from_raster(std::move(raster), sidecar, "a.tif");
    const auto passed = frame_by_pass(bytes, sidecar);
    fuzz::expect(!passed || have_same_pixels(*passed, frame), "one pass gives the same pixels");
  });
  fuzz::expect(!plain || is_read, "the plain reader accepts what libtiff refuses");
}
