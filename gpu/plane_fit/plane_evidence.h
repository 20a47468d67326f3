// Evidence of a second level beside a fitted plane: copper beside solder mask, a pad, a seam. A floor with a second
// level of about as many points is ambiguous, and whoever uses the plane refuses it (INVALID).
#pragma once

#include "gpu/plane_fit/plane_fit.h"

namespace datum {

struct LevelEvidence {
  std::uint32_t floor = 0;   // points with |r| <= threshold
  std::uint32_t second = 0;  // points of the fullest window of that width outside |r| <= refit_threshold
  double second_offset = 0;  // centre of that window along z, relative to the plane; 0 where second = 0
  double ratio() const { return floor ? static_cast<double>(second) / floor : 1; }
};

/// Counts the residuals along z of one plane in bins of threshold / 8, up to 64 thresholds away, and slides a window of
/// 2 * threshold over the bins. Only integers are summed, so that the order of the points does not matter. Throws
/// std::invalid_argument for a threshold that fit_planes() refuses.
LevelEvidence plane_evidence(const PlanePoints& points, const PlaneFit& fit,
                             const PlaneFitSettings& settings);

}  // namespace datum
