// Which of the sampled planes has the consensus.
#pragma once

#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/plane_fit_refine.h"

namespace datum {

struct Consensus {
  bool found = false;
  plane_math::Plane plane;
  std::uint32_t hypotheses = 0;  // N of the sequential rule
};

/// Memory that a search needs, for a plane of `size` points: two lists with room for all of them.
struct SearchScratch {
  PointList subset, band;
};

/// Samples planes through three points of a pool and applies the sequential rule. The pool and the screening
/// subset are the points with the smallest keys (plane_math::point_key), so no order of the points enters.
Consensus find_consensus(const PlaneKernels& kernels, const Cloud& cloud, std::uint32_t valid,
                         std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                         SearchScratch scratch);

}  // namespace datum
