// The digital twin's sensor: converts a noise-free surface to an optical 3D sensor's HeightFrame.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/frame/height_frame.h"
#include "tests/virtual_cell/twin_scene.h"
#include "tests/virtual_cell/twin_world.h"

namespace datum {

/// Errors of the virtual sensor. Lengths are standard deviations or half widths in um, ratios are shares of
/// pixels.
struct TwinNoise {
  double white_um = 0;       // from pixel to pixel
  double correlated_um = 0;  // moving average over a square of correlation_px
  int correlation_px = 5;    // its autocorrelation is a pyramid with the sum correlation_px^2
  double dropout_ratio = 0;  // approximate share of pixels without a height, in small blobs
  double speckle_ratio = 0;  // approximate share, in small blobs, with a uniform error within +- speckle_um
  double speckle_um = 30;
  double outlier_ratio = 0;  // single pixels with a uniform error within +- outlier_um
  double outlier_um = 500;
  double scale_error_ppm = 0;  // of z, a systematic error
  double linearity_um = 0;     // amplitude of a triangle wave over z, a systematic error
  double linearity_phase = 0;  // of that wave, in periods
  double linearity_period_mm = 2;
  TwinWorld world;  // further effects
};

struct TwinSensor {
  std::string serial;
  AxisScale z{0.00025, 0};  // of the counts
  TwinNoise noise;
  bool left_handed = false;  // columns then run in the opposite direction
};

/// Counts are int16, -32768 where the class is not ok. Each pixel depends on its place and the seed only. The
/// caller sets frame_id and the other identity. Throws std::invalid_argument for sizes, ratios, or a surface
/// of another size.
HeightFrame render(const TwinSurface& surface, const TwinView& view, const TwinSensor& sensor,
                   std::uint64_t seed);

}  // namespace datum
