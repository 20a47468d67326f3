// Least squares repeated until the inlier set stands still.
#pragma once

#include "gpu/plane_fit/plane_fit_kernels.h"
#include "gpu/plane_fit/refinement.h"

namespace datum {

/// Drives a Refiner over a cloud from `start`, at most `limit` least-squares planes. `scan`: is filled in the first
/// pass over the points, which ends it where one of them is out of bounds.
Refined refine(const PlaneKernels& kernels, const Cloud& cloud, const plane_math::Plane& start,
               float threshold, const FitRegion& region, PointList boundary, int limit = max_refits,
               ValidityScan* scan = nullptr);

}  // namespace datum
