#include "gpu/plane_fit/plane_evidence.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "gpu/core/simd_scalar.h"
#include "gpu/plane_fit/level_math.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum {

LevelEvidence plane_evidence(const PlanePoints& points, const PlaneFit& fit,
                             const PlaneFitSettings& settings) {
  const float t = settings.threshold, outer = settings.refit_threshold > t ? settings.refit_threshold : t;
  if (!(t > 0) || !std::isfinite(outer))
    throw std::invalid_argument("plane evidence: threshold is not positive and finite");
  const level::Binning binning = level::binning(t, outer);
  const float a = static_cast<float>(-fit.a), b = static_cast<float>(-fit.b), c = static_cast<float>(fit.c);
  std::vector<std::uint32_t> histogram(level::bins, 0);
  LevelEvidence evidence;
  for (std::uint32_t i = 0; i < points.size; ++i) {
    const float r = plane_math::residual<SimdScalar>(points.x[i], points.y[i], points.z[i], a, b, c);
    evidence.floor += std::fabs(r) <= t;
    const std::int32_t bin = level::bin_of(r, binning.per_um);
    if (level::is_beside(bin, binning.excluded)) ++histogram[static_cast<std::size_t>(bin)];
  }
  const level::Fullest fullest = level::fullest_window(histogram.data(), binning.excluded);
  evidence.second = fullest.count;
  evidence.second_offset = level::offset_of(fullest, t);
  return evidence;
}

}  // namespace datum
