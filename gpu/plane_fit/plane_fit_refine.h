// Least squares repeated until the inlier set stands still.
#pragma once

#include "gpu/plane_fit/plane_fit_kernels.h"
#include "gpu/plane_fit/plane_fit_steps.h"

namespace datum {

/// Drives a Refiner over a cloud from `start`, at most `limit` least-squares planes.
Refined refine(const PlaneKernels& kernels, const Cloud& cloud, const plane_math::Plane& start,
               float threshold, const FitRegion& region, PointList band, int limit = max_refits);

}  // namespace datum
