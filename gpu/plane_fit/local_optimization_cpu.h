// Local optimisation, and the consensus of the hypotheses, on the CPU.
#pragma once

#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/sampling_cpu.h"

namespace datum {

/// The plane at which the refinement on all points starts.
struct Consensus {
  bool found = false;
  plane_math::Plane plane;
  std::uint32_t hypotheses = 0;  // N of the sequential stopping rule
};

/// Tests hypotheses until the rule ends, on the subset in screened mode, on all points in exact mode, and optimises the
/// best ones (screened mode) or the best one (exact mode) on the subset.
Consensus find_consensus(const PlaneKernels& kernels, const Cloud& cloud, const SampledPoints& sampled,
                         std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                         const PointList& boundary);

}  // namespace datum
