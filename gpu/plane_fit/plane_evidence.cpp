#include "gpu/plane_fit/plane_evidence.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr int bins_per_threshold = 8, reach_in_thresholds = 64;
constexpr int window = 2 * bins_per_threshold, half_bins = bins_per_threshold * reach_in_thresholds;

/// Bins of residuals: bin half_bins begins at 0; the last one holds what is far away or has no height.
using Histogram = std::array<std::uint32_t, 2 * half_bins + 1>;

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

LevelEvidence plane_evidence(const PlanePoints& points, const PlaneFit& fit, const PlaneFitSettings& settings,
                             Isa isa) {
  const float t = settings.threshold, outer = settings.refit_threshold > t ? settings.refit_threshold : t;
  if (!(t > 0) || !std::isfinite(outer))
    throw std::invalid_argument("plane evidence: threshold is not positive and finite");
  const double per_bin = bins_per_threshold / static_cast<double>(t);
  const double a = fit.a, b = fit.b, c = fit.c;
  std::vector<std::int16_t> bins(points.size);
  std::uint32_t floor = 0;
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float *x = points.x, *y = points.y, *z = points.z;
    std::int16_t* out = bins.data();
    std::uint32_t near = 0;
    for (std::uint32_t i = 0; i < points.size; ++i) {
      const double r = z[i] - (a * x[i] + b * y[i] + c);
      const double bin = r * per_bin + half_bins;
      const bool inside = bin >= 0 && bin < 2 * half_bins;  // has a height, not far away
      near += inside && std::fabs(r) <= t;
      out[i] = static_cast<std::int16_t>(inside ? bin : 2.0 * half_bins);
    }
    floor = near;
  });
  // Two histograms: neighbours often fall into one bin, and an increment waits for the one before.
  std::array<Histogram, 2> histograms{};
  for (std::uint32_t i = 0; i < points.size; ++i) ++histograms[i % 2][static_cast<std::size_t>(bins[i])];
  LevelEvidence evidence;
  evidence.floor = floor;
  Histogram& histogram = histograms[0];
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) histogram[bin] += histograms[1][bin];
  const int excluded = static_cast<int>(std::fmin(half_bins, std::ceil(outer * per_bin)));
  slide(histogram, 0, half_bins - excluded, 1 / per_bin, &evidence);
  slide(histogram, half_bins + excluded, 2 * half_bins, 1 / per_bin, &evidence);
  return evidence;
}

}  // namespace datum
