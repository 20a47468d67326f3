// Sampling on the CPU.
#pragma once

#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/plane_fit_kernels.h"
#include "gpu/plane_fit/sampling.h"

namespace datum {

/// Memory for one plane: lists with room for all of its points.
struct SearchScratch {
  PointList subset, pool, boundary;
};

/// The sampled points of a plane.
struct SampledPoints {
  bool scanned = false;  // `scan` is known
  ValidityScan scan{};   // of all points
  bool of_more = false;  // the subset is a sample of more points
  PointList
      subset{};  // about 1024 points: screened mode counts hypotheses on them, both modes optimise locally
  PointList
      pool{};  // some or all of them, in an order that their numbers or places make: hypotheses go through these
};

/// A region without a width is sampled by position in any case.
SampledPoints sample_points(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed,
                            SamplingOrder order, const FitRegion& region, const SearchScratch& scratch);

}  // namespace datum
