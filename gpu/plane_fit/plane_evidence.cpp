#include "gpu/plane_fit/plane_evidence.h"

#include <array>
#include <cmath>
#include <stdexcept>

namespace datum {
namespace {

constexpr int bins_per_threshold = 8, reach_in_thresholds = 64;
constexpr int window = 2 * bins_per_threshold, half_bins = bins_per_threshold * reach_in_thresholds;

/// Bins of residuals: bin half_bins begins at 0.
using Histogram = std::array<std::uint32_t, 2 * half_bins>;

/// Slides a window over bins [from, to) and keeps the fullest; the lower one where two are equal.
void slide(const Histogram& histogram, int from, int to, double bin_width, LevelEvidence* evidence) {
  std::uint32_t inside = 0;
  for (int bin = from; bin < to; ++bin) {
    inside += histogram[static_cast<std::size_t>(bin)];
    if (bin - from >= window) inside -= histogram[static_cast<std::size_t>(bin - window)];
    if (bin - from >= window - 1 && inside > evidence->second) {
      evidence->second = inside;
      evidence->second_offset = (bin + 1 - window / 2 - half_bins) * bin_width;
    }
  }
}

}  // namespace

LevelEvidence plane_evidence(const PlanePoints& points, const PlaneFit& fit,
                             const PlaneFitSettings& settings) {
  const float t = settings.threshold, outer = settings.refit_threshold > t ? settings.refit_threshold : t;
  if (!(t > 0) || !std::isfinite(outer))
    throw std::invalid_argument("plane evidence: threshold is not positive and finite");
  const double per_bin = bins_per_threshold / static_cast<double>(t);
  Histogram histogram{};
  LevelEvidence evidence;
  for (std::uint32_t i = 0; i < points.size; ++i) {
    const double r = points.z[i] - (fit.a * points.x[i] + fit.b * points.y[i] + fit.c);
    const double bin = std::floor(r * per_bin) + half_bins;
    if (!(bin >= 0 && bin < 2 * half_bins)) continue;  // no height, or far away
    evidence.floor += std::fabs(r) <= t;
    ++histogram[static_cast<std::size_t>(bin)];
  }
  const int excluded = static_cast<int>(std::fmin(half_bins, std::ceil(outer * per_bin)));
  slide(histogram, 0, half_bins - excluded, 1 / per_bin, &evidence);
  slide(histogram, half_bins + excluded, 2 * half_bins, 1 / per_bin, &evidence);
  return evidence;
}

}  // namespace datum
