// What speaks for and against a fitted floor.
#pragma once

#include "daemon/inspect/floor.h"

namespace datum {

/// Fills floor.evidence (all but second_floor), correlation, noise_um, form_um and u_um from floor.fit and
/// the ring's pixels.
///
/// Form: a bowed board lies off the ring's plane under the body. A quadratic through the ring's residuals,
/// least squares over pieces of rows, is evaluated at the body's centre; u_form from its normal matrix, the
/// residuals' rms and n_eff. With FloorForm::quadratic it is part of the floor, so noise and correlation are
/// of what it leaves.
void collect_evidence(const Site& site, const SitePixels& pixels, const FloorThresholds& t, FloorForm form,
                      Isa isa, Floor& floor);

}  // namespace datum
