// Sampling on the CPU.
#pragma once

#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/plane_fit_kernels.h"
#include "gpu/plane_fit/sampling.h"

namespace datum {

/// Lists with room for all points of a plane.
struct SearchScratch {
  PointList subset, pool, boundary;
};

/// The sampled points of a plane. Screened mode counts hypotheses on the subset; both modes optimise locally on it.
struct SampledPoints {
  bool scanned = false;  // `scan` is known
  ValidityScan scan{};   // of all points
  bool of_more = false;  // the subset is a sample of more points
  PointList subset{};    // about 1024 points
  PointList
      pool{};  // the points of hypotheses: the subset by index, or some of it in the order of their keys
};

/// A region without a width is sampled by position in any case.
SampledPoints sample_points(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed,
                            SamplingOrder order, const FitRegion& region, const SearchScratch& scratch);

}  // namespace datum
