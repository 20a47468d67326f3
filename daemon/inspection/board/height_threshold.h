// What a threshold on the height, beyond which pixels have none, takes from a top's slope.
#pragma once

#include <cstdint>

#include "gpu/component_height/component_height.h"
#include "gpu/core/pixel_run.h"

namespace datum {

/// Where a sensor has no heights beyond some height, pixels near it have one only if their noise is on the near side, and the
/// plane through the measured pixels is too flat.
///
/// With white noise of standard deviation s on a plane of slope g that crosses the threshold on a width w, E = w s / (g sqrt(2
/// pi)) measured pixels lie beyond it, and the noise of all measured pixels sums to -w s^2 / g = -sqrt(2 pi) s E. A regression
/// of the noise on the plane's height p, 0 at the measured pixels' centroid and P at the threshold, shows the share of the
/// slope that is lost: sqrt(2 pi) s E P / sum p^2. E is counted, and taken at the upper 95 % limit of its count, E + 2 sqrt(E)
/// + 1. It needs no hypothesis of the threshold: without one, it bounds what noise can have done.
///
/// Returns that share per um of s. 0 where the plane's height does not part missing from measured pixels: where E is above
/// half of what chance gives, m (1 - m / n) for m missing ones among n.
///
/// `count` runs of a body; `classes` of a frame with `cols` columns, 0 for a pixel with a height; `top`: the plane through
/// these.
double slope_share_lost_per_um(const PixelRun* runs, std::uint32_t count, const std::uint8_t* classes,
                               std::int32_t cols, const TopPlane& top);

}  // namespace datum
