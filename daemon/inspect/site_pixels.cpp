#include "daemon/inspect/site_pixels.h"

#include <limits>

#include "gpu/core/portable.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

/// z in um relative to the site's reference. The count enters as an exact double, so int16, int32 and float
/// deliveries of the same counts give the same bits.
template <class Count>
DATUM_HD void take_z(const HeightFrame& frame, const std::vector<Count>& counts, const Site& site,
                     const std::vector<PixelRun>& runs, float* z) {
  const double scale_um = frame.z.scale_mm * 1e3;
  const double offset_um = (frame.z.offset_mm - site.reference_z_mm) * 1e3;
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  for (const PixelRun& run : runs) {
    const std::size_t at = static_cast<std::size_t>(run.row) * static_cast<std::size_t>(frame.cols) +
                           static_cast<std::size_t>(run.col);
    const Count* count = counts.data() + at;
    const PixelClass* pixel_class = frame.classes.data() + at;
    // two loops, each of one kind of conversion, are what compilers turn into vectors
    for (int i = 0; i < run.length; ++i)
      z[i] = static_cast<float>(offset_um + scale_um * static_cast<double>(count[i]));
    for (int i = 0; i < run.length; ++i) z[i] = pixel_class[i] == PixelClass::ok ? z[i] : none;
    z += run.length;
  }
}

std::unique_ptr<float[]> floats(std::size_t n) { return std::unique_ptr<float[]>(new float[n]); }

}  // namespace

SitePixels take_pixels(const HeightFrame& frame, const Site& site, Isa isa) {
  SitePixels p{floats(site.ring_pixels), floats(site.ring_pixels), floats(site.ring_pixels),
               floats(site.body_pixels)};
  float *x = p.ring_x.get(), *y = p.ring_y.get();
  const double pitch_x_um = frame.x.scale_mm * 1e3, pitch_y_um = frame.y.scale_mm * 1e3;
  for (const PixelRun& run : site.ring) {
    const float y_um = static_cast<float>((run.row - site.centre_px.y()) * pitch_y_um);
    const double start = (run.col - site.centre_px.x()) * pitch_x_um;
    for (int i = 0; i < run.length; ++i) {
      x[i] = static_cast<float>(start + i * pitch_x_um);
      y[i] = y_um;
    }
    x += run.length;
    y += run.length;
  }
  std::visit(
      [&](const auto& counts) {
        vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
          take_z(frame, counts, site, site.ring, p.ring_z.get());
          take_z(frame, counts, site, site.body, p.body_z.get());
        });
      },
      frame.counts);
  return p;
}

}  // namespace datum
