// What speaks for and against a fitted floor: the ring's pixels as exact sums, and the numbers that are
// derived from them with one code for every backend.
#pragma once

#include "gpu/component_height/residual_correlation.h"
#include "gpu/core/backend.h"
#include "gpu/core/board_plan.h"
#include "gpu/core/kept_array.h"
#include "gpu/floor_evidence/ring_record.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

/// Pixels of one ring: site.ring_runs runs with the side of each, and site.ring_pixels points in their
/// order, um from the site's centre as um_of gives them, z = NaN where there is no height.
struct RingPixels {
  const PixelRun* runs = nullptr;
  const std::uint8_t* sides = nullptr;
  const float* x = nullptr;
  const float* y = nullptr;
  const float* z = nullptr;
};

/// Memory for one ring after the other.
struct RingScratch {
  KeptArray<float> um;
  KeptArray<std::int16_t> steps, bins;
  ResidualImage residuals;
};

/// On the CPU. `fit` is ok.
RingRecord measure_ring(const SitePlan& site, const RingPixels& pixels, const PlaneFit& fit, Isa isa,
                        RingScratch* scratch);
RingRecord measure_ring(const SitePlan& site, const RingPixels& pixels, const PlaneFit& fit, Isa isa);

/// Derived from a record. Lengths in um along z.
struct RingEvidence {
  Correlation correlation;  // of the inliers' residuals about the floor
  double effective_n = 0;   // inliers / correlation.sum
  double noise_um = 0;      // standard deviation of the inliers about the floor
  double second_level = 0;  // pixels of the fullest other level over the floor's; 1 where the floor has none
  double form_um =
      0;  // the quadratic over the plane at the body's centre; 0 where the ring does not determine it
  double u_form_um = 0;   // its standard uncertainty
  double floor_um = 0;    // what the site's form adds to the plane there: form_um, or 0 for a plane
  double u_floor_um = 0;  // standard uncertainty of the floor there
};

/// (x_um, y_um): centre of the body from the ring's centre.
///
/// Form: a bowed board lies off the ring's plane under the body. A quadratic through the inliers'
/// residuals, least squares over pixels, is evaluated at the body's centre; u_form from its normal matrix,
/// the residuals' rms and n_eff. With SitePlan::quadratic_form it is part of the floor, so noise and
/// correlation are of what it leaves.
RingEvidence derive(const SitePlan& site, const PlaneFit& fit, const RingRecord& record, double x_um,
                    double y_um);

}  // namespace datum
