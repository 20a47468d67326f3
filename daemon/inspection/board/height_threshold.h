// What a threshold on the height, beyond which pixels have none, takes from a top's slope.
#pragma once

#include <cstdint>

#include "gpu/component_height/component_height.h"
#include "gpu/core/pixel_run.h"

namespace datum {

/// Share of a top's slope that noise at a threshold on the height may have taken.
struct SlopeLoss {
  double per_um = 0, per_um2 = 0;  // of the noise's standard deviation, and of its square
  /// For noise of this standard deviation: both are upper bounds.
  double share(double noise_um) const;
};

/// Where a sensor has no heights beyond some height, pixels near it have one only if their noise is on the near side, and the
/// plane through the measured pixels is too flat.
///
/// With noise of standard deviation s on a plane with r pixels per um of its height at the threshold, E = r s / sqrt(2 pi)
/// measured pixels lie beyond it, and the noise of all measured pixels sums to -r s^2 = -sqrt(2 pi) s E. A regression of the
/// noise on the plane's height p, 0 at the measured pixels' centroid and P at the threshold, shows the share of the slope that
/// is lost: that sum times P / sum p^2.
///
/// E is counted, and taken at the upper 95 % limit of its count, E + 2 sqrt(E) + 1: `per_um`. Pixels that are missing for another
/// reason, as in a shadow beside a wall, make E larger without taking more, so that the largest r over a sixteenth of
/// the plane's range, with P at its end, bounds the loss, too: `per_um2`.
///
/// Both are 0 where the plane's height does not part missing from measured pixels: where E is above half of what chance gives,
/// m (1 - m / n) for m missing ones among n.
///
/// `count` runs of a body; `classes` of a frame with `cols` columns, 0 for a pixel with a height; `top`: the plane through
/// these.
SlopeLoss slope_loss(const PixelRun* runs, std::uint32_t count, const std::uint8_t* classes,
                     std::int32_t cols, const TopPlane& top);

}  // namespace datum
