// The digital twin's sensor: a noise-free surface becomes a HeightFrame as an optical 3D sensor would deliver
// it.
#pragma once

#include <cstdint>
#include <string>

#include "drivers/frame/height_frame.h"
#include "tests/virtual_cell/twin_scene.h"
#include "tests/virtual_cell/twin_world.h"

namespace datum {

/// How the virtual sensor errs. All lengths as standard deviations or half widths in um, all ratios of
/// pixels.
struct TwinNoise {
  double white_um = 0;  // from pixel to pixel
  double correlated_um =
      0;  // moving average over a square of correlation_px: autocorrelation is a pyramid whose
  int correlation_px = 5;    //   sum over all lags is correlation_px^2
  double dropout_ratio = 0;  // about this share of the pixels gives no height, in small blobs
  double speckle_ratio =
      0;  // about this share, in small blobs, is off by a uniform error within +- speckle_um
  double speckle_um = 30;
  double outlier_ratio = 0;  // single pixels, off by a uniform error within +- outlier_um
  double outlier_um = 500;
  double scale_error_ppm = 0;  // of z, a systematic error
  double linearity_um = 0;     // amplitude of a triangle wave over z, a systematic error
  double linearity_phase = 0;  // of that wave, in periods
  double linearity_period_mm = 2;
  TwinWorld world;  // what the world does beside
};

struct TwinSensor {
  std::string serial;
  AxisScale z{0.00025, 0};  // of the counts
  TwinNoise noise;
  bool left_handed = false;  // then columns run the other way, as a left-handed sensor delivers them
};

/// Counts are int16, -32768 where the class is not ok. Each pixel depends on its own place and the seed
/// alone. frame_id and the rest of the identity are left to the caller. Throws std::invalid_argument: sizes,
/// ratios, a surface of another size.
HeightFrame render(const TwinSurface& surface, const TwinView& view, const TwinSensor& sensor,
                   std::uint64_t seed);

}  // namespace datum
