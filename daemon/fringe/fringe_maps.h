// A raw set of fringes, demodulated: columns, classes, and with a calibrated model heights.
#pragma once

#include <vector>

#include "daemon/fringe/fringe_demodulator.h"
#include "drivers/fringe/raw_set.h"

namespace datum {

/// Row-major, one of each pixel of the set; see FringeMaps. Heights are empty without a model.
struct MeasuredFringes {
  std::vector<FringeClass> classes;
  std::vector<float> column_px, sigma_px, modulation, mean;
  std::vector<float> residual;  // empty with 3 steps, which no profile has
  std::vector<std::int32_t> height;
  std::vector<float> height_sigma_um;
};

FringePattern pattern_of(const FringeSettings& settings);
FringeLimits limits_of(const FringeSettings& settings);

/// Throws FrameError naming the set: settings that mean nothing, or a model of another image size.
MeasuredFringes measure_fringes(const RawSet& set, const FringeSettings& settings, const HeightModel* model,
                                FringeDemodulator& demodulator);

/// How many of these there are.
std::size_t count_of(const MeasuredFringes& measured, FringeClass c);
/// The middle of the values of pixels that are ok, NaN where none is.
double median_of_ok(const MeasuredFringes& measured, const std::vector<float>& values);

}  // namespace datum
