// The consensus of the sampled planes on the CPU.
#pragma once

#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/sampling_cpu.h"

namespace datum {

struct Consensus {
  bool found = false;
  plane_math::Plane plane;
  std::uint32_t hypotheses = 0;  // N of the sequential rule
};

/// Lays planes through three points of the pool and applies the sequential rule.
Consensus find_consensus(const PlaneKernels& kernels, const Cloud& cloud, const SampledPoints& sampled,
                         std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                         const PointList& boundary);

}  // namespace datum
