// A demodulated raw set of fringes: projector columns, classes, and heights where there is a calibrated model.
#pragma once

#include <vector>

#include "daemon/fringe/fringe_demodulator.h"
#include "drivers/fringe/raw_set.h"

namespace datum {

/// Row-major, one value per pixel of the set; see FringeMaps. Heights are empty without a model.
struct MeasuredFringes {
  std::vector<FringeClass> classes;
  std::vector<float> column_px, sigma_px, modulation, mean;
  std::vector<float> residual;  // empty with 3 steps, which no profile allows
  std::vector<std::int32_t> height;
  std::vector<float> height_sigma_um;
};

FringePattern pattern_of(const FringeSettings& settings);
FringeLimits limits_of(const FringeSettings& settings);

/// Throws FrameError that names the set, for invalid settings or a model of another image size.
MeasuredFringes measure_fringes(const RawSet& set, const FringeSettings& settings, const HeightModel* model,
                                FringeDemodulator& demodulator);

/// Number of pixels of class `c`.
std::size_t count_of(const MeasuredFringes& measured, FringeClass c);
/// Median of the values at pixels of class ok; NaN where there is none.
double median_of_ok(const MeasuredFringes& measured, const std::vector<float>& values);

}  // namespace datum
