// Screened mode: hypotheses are counted on the subset alone, and all points are read once (DESIGN.md).
#pragma once

#include "gpu/plane_fit/phases.cuh"

namespace datum::cuda {

/// The mode of the kernels.
struct ScreenedMode {
  static constexpr bool counts_all_points = false;

  /// After the sampling. `fit`: what is known of the result; `of_more`: the subset is a sample of more points.
  /// Returns the phase of the next pass.
  static __device__ __noinline__ Phase after_sampling(const Batch& b, const PlaneTask& task,
                                                      std::uint32_t plane, PlaneFit fit, bool of_more,
                                                      BlockMemory& shared) {
    PlaneWork* work = b.work + plane;
    SearchMemory& s = *reinterpret_cast<SearchMemory*>(shared.search);
    RefinementMemory& r = *reinterpret_cast<RefinementMemory*>(shared.refinement);
    const FitRegion region = region_of(b, task);
    search_subset(b, task, region, of_more, s);
    fit.hypotheses = static_cast<std::uint32_t>(s.tried);
    if (!s.found) return end_without_consensus(b, plane, work, fit);
    if (threadIdx.x == 0) {
      work->fit = fit;
      r.refiner = Refiner(s.plane, refinement_threshold(task), region);
      r.refiner.rebase();
    }
    begin_accumulate(work, r.refiner);
    return Phase::accumulate;
  }
};

}  // namespace datum::cuda
