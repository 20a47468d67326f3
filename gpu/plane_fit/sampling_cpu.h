// Sampled points on the CPU.
#pragma once

#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/plane_fit_kernels.h"
#include "gpu/plane_fit/sampling.h"

namespace datum {

/// Memory for one plane: lists with room for all of its points.
struct SearchScratch {
  PointList subset, pool, boundary;
};

/// Points that stand for a plane's points.
struct SampledPoints {
  bool scanned = false;  // all points were looked at
  ValidityScan scan{};   // where they were
  bool of_more = false;  // the subset is not all of the points with a height
  PointList subset{};    // screened mode: about 1024 points, on which hypotheses are counted
  PointList
      pool{};  // some or all of them, in an order that their numbers or places make: hypotheses go through these
};

/// By place also where the region has no width.
SampledPoints sample_points(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed,
                            SamplingOrder order, const FitRegion& region, const SearchScratch& scratch);

}  // namespace datum
