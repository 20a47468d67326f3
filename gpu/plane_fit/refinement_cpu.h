// Refinement on the CPU.
#pragma once

#include "gpu/plane_fit/plane_fit_kernels.h"
#include "gpu/plane_fit/refinement.h"

namespace datum {

/// Drives a Refiner over the points from `start`, for at most `limit` refits. If `scan` is not null, the first pass
/// fills it, and the refinement ends there if a point is out of bounds.
Refined refine(const PlaneKernels& kernels, const Cloud& cloud, const plane_math::Plane& start,
               float threshold, const FitRegion& region, PointList boundary, int limit = max_refits,
               ValidityScan* scan = nullptr);

}  // namespace datum
