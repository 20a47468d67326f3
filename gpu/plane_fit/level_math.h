// Second level beside a plane: residuals in bins, and the fullest window of bins. Written once for every backend.
// C++17.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/core/portable.h"

namespace datum::level {

constexpr int bins_per_threshold = 8, range_in_thresholds = 64;
constexpr int window = 2 * bins_per_threshold, half_bins = bins_per_threshold * range_in_thresholds;
constexpr int bins = 2 * half_bins;  // bin half_bins begins at a residual of 0

struct Binning {
  float per_um = 0;  // bins per unit of the residual
  int excluded = 0;  // bins on either side of 0 that may hold pixels of the floor itself
};

/// 0 < threshold <= refit_threshold, finite.
DATUM_HD Binning binning(float threshold, float refit_threshold) {
  const double per_um = bins_per_threshold / static_cast<double>(threshold);
  const double excluded = ::ceil(refit_threshold * per_um);
  return Binning{static_cast<float>(per_um), excluded < half_bins ? static_cast<int>(excluded) : half_bins};
}

/// Bin of a residual; half_bins, a bin inside the floor, where it is not finite or out of range.
DATUM_HD std::int32_t bin_of(float residual, float per_um) {
  const float bin = ::fmaf(residual, per_um, static_cast<float>(half_bins));
  const bool inside = bin >= 0 && bin < static_cast<float>(bins);
  return static_cast<std::int32_t>(inside ? bin : static_cast<float>(half_bins));
}

/// Whether a bin lies outside the floor.
DATUM_HD bool is_beside(std::int32_t bin, int excluded) {
  return bin < half_bins - excluded || bin >= half_bins + excluded;
}

/// The fullest window of `window` bins on one side of the floor; of equally full ones the lowest.
struct Fullest {
  std::uint32_t count = 0;
  std::int32_t end = 0;  // the bin after its last one; 0 where count is 0
};

/// Slides the window over bins [from, to).
DATUM_HD void slide(const std::uint32_t* histogram, int from, int to, Fullest* fullest) {
  std::uint32_t inside = 0;
  for (int bin = from; bin < to; ++bin) {
    inside += histogram[bin];
    if (bin - from >= window) inside -= histogram[bin - window];
    if (bin - from >= window - 1 && inside > fullest->count) *fullest = Fullest{inside, bin + 1};
  }
}

DATUM_HD Fullest fullest_window(const std::uint32_t* histogram, int excluded) {
  Fullest f;
  slide(histogram, 0, half_bins - excluded, &f);
  slide(histogram, half_bins + excluded, bins, &f);
  return f;
}

/// Centre of the window as a residual.
DATUM_HD double offset_of(const Fullest& f, float threshold) {
  const int middle = f.end - window / 2 - half_bins;
  return f.count ? middle * (static_cast<double>(threshold) / bins_per_threshold) : 0;
}

}  // namespace datum::level
