// Is there another level beside a fitted plane? Copper against mask, a pad, a seam: METROLOGY S5's second
// floor.
#pragma once

#include "gpu/plane_fit/plane_fit.h"

namespace datum {

struct LevelEvidence {
  std::uint32_t floor = 0;   // points with |r| <= threshold
  std::uint32_t second = 0;  // most points of any window as wide that lies outside |r| <= refit_threshold
  double second_offset = 0;  // centre of that window along z, relative to the plane; 0 where second = 0
  double ratio() const { return floor ? static_cast<double>(second) / floor : 1; }
};

/// Counts the residuals of one plane in bins of threshold / 8 up to 64 thresholds away and slides a window of
/// width 2 * threshold over them. The threshold is along z, as is the fit's with Residual::vertical. Integers
/// only: no order of the points shows. Throws std::invalid_argument for settings that fit_planes refuses.
LevelEvidence plane_evidence(const PlanePoints& points, const PlaneFit& fit,
                             const PlaneFitSettings& settings);

}  // namespace datum
