// Phases of a plane: what follows a pass over its points. The block that finished the last tile of the pass calls these
// functions with all its threads; each returns the phase of the next pass (DESIGN.md draws the transitions).
//
// They are not inlined: they would take registers from the passes, and nvcc 13.0 lost the reconvergence of a warp
// before barriers when all was one function (found by compute-sanitizer synccheck).
#pragma once

#include "gpu/plane_fit/local_optimization.cuh"
#include "gpu/plane_fit/refinement.cuh"
#include "gpu/plane_fit/sampling.cuh"
#include "gpu/plane_fit/shared_memory.cuh"

namespace datum::cuda {

/// All threads clear the work area of a plane for the next launch.
__device__ inline void clear(PlaneWork* work) {
  std::uint32_t* words = reinterpret_cast<std::uint32_t*>(work);
  for (std::uint32_t i = threadIdx.x; i < sizeof(PlaneWork) / 4; i += block_threads) words[i] = 0;
}

/// All threads write the result of a plane. needs_cpu: it needs the CPU fallback, and `fit` means nothing.
__device__ inline void finish(const Batch& b, std::uint32_t plane, const PlaneFit& fit, bool needs_cpu) {
  __syncthreads();
  if (threadIdx.x == 0) {
    b.fits[plane] = fit;
    b.needs_cpu[plane] = needs_cpu;
  }
  clear(b.work + plane);
  if (threadIdx.x == 0) atomicAdd(&b.schedule.queue->jobs_done, 1u);
}

/// All threads prepare an accumulate pass around the base plane of `refiner`, which lies in shared memory.
__device__ inline void begin_accumulate(PlaneWork* work, const Refiner& refiner) {
  __syncthreads();
  const std::uint32_t* words = reinterpret_cast<const std::uint32_t*>(&refiner);
  for (unsigned i = threadIdx.x; i < sizeof(Refiner) / 4; i += block_threads)
    reinterpret_cast<std::uint32_t*>(&work->refiner)[i] = words[i];
  if (threadIdx.x < 10) work->moments[threadIdx.x] = 0;
  if (threadIdx.x == 0) work->tiles_done = 0;
}

__device__ inline float refinement_threshold(const PlaneTask& task) {
  return task.refit_threshold > task.threshold ? task.refit_threshold : task.threshold;
}

/// The sampled points have no consensus. A plane sampled by index still needs the scan of its points for its result.
__device__ inline Phase end_without_consensus(const Batch& b, std::uint32_t plane, PlaneWork* work,
                                              const PlaneFit& fit) {
  if (work->scanned) {
    finish(b, plane, fit, false);
    return Phase::done;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    work->fit = fit;
    work->tiles_done = 0;
  }
  return Phase::scan;
}

/// After a select pass: orders the samples, or repeats the pass with the limit for the points that have a height.
template <class Mode>
__device__ __noinline__ Phase after_select(const Batch& b, const PlaneTask& task, std::uint32_t plane,
                                           BlockMemory& shared) {
  PlaneWork* work = b.work + plane;
  SearchMemory& s = *reinterpret_cast<SearchMemory*>(shared.search);
  const std::uint32_t valid = __ldcg(&work->valid), sampled = __ldcg(&work->sample_count);
  const bool outside = __ldcg(&work->outside) != 0;
  if (outside || valid < 3 || task.half_x == 0 || task.half_y == 0) {
    finish(b, plane, result_of_scan(valid, !outside), false);
    return Phase::done;
  }
  // Nearly always every point has a height, and the host has computed the limits.
  const bool all = valid == task.size;
  const std::uint32_t limit =
                          all ? task.subset_limit : plane_math::key_limit(valid, plane_math::subset_target),
                      pool_limit =
                          all ? task.pool_limit : plane_math::key_limit(valid, plane_math::pool_target);
  if (limit > select_limit(task, __ldcg(&work->key_limit))) {
    __syncthreads();
    if (threadIdx.x == 0) {
      work->key_limit = limit;
      work->valid = work->outside = work->sample_count = work->tiles_done = 0;
    }
    return Phase::select;
  }
  if (sampled > task.sample_room ||
      !gather_samples(b.samples + task.first_sample, sampled, limit, pool_limit, s)) {
    finish(b, plane, result_of_scan(valid, true), true);
    return Phase::done;
  }
  if (threadIdx.x == 0) work->scanned = 1;
  return Mode::after_sampling(b, task, plane, result_of_scan(valid, true), s.size < valid, shared);
}

/// In place of a first pass: samples by index and searches. Phase::select if too few of the samples have a height.
template <class Mode, class Source>
__device__ __noinline__ Phase sample_and_search(const Batch& b, const Source& source, const PlaneTask& task,
                                                std::uint32_t plane, BlockMemory& shared) {
  SearchMemory& s = *reinterpret_cast<SearchMemory*>(shared.search);
  sample_by_index(source, task, region_of(b, task), s);
  if (plane_math::too_few_sampled(s.size, task.size)) return Phase::select;
  PlaneFit fit;
  fit.status = FitStatus::no_consensus;
  return Mode::after_sampling(b, task, plane, fit, task.size > plane_math::max_sampled_points, shared);
}

/// After the scan pass of a plane without consensus.
inline __device__ __noinline__ Phase after_scan(const Batch& b, std::uint32_t plane) {
  const PlaneWork* work = b.work + plane;
  const bool outside = __ldcg(&work->outside) != 0;
  PlaneFit fit = result_of_scan(__ldcg(&work->valid), !outside);
  if (!outside) fit.hypotheses = __ldcg(&work->fit.hypotheses);
  finish(b, plane, fit, false);
  return Phase::done;
}

/// After an accumulate pass: refines the plane within the boundary, and ends or begins another pass around the new
/// plane.
inline __device__ __noinline__ Phase after_accumulate(const Batch& b, const PlaneTask& task,
                                                      std::uint32_t plane, BlockMemory& shared) {
  PlaneWork* work = b.work + plane;
  RefinementMemory& r = *reinterpret_cast<RefinementMemory*>(shared.refinement);
  const std::uint32_t valid = __ldcg(&work->valid);
  if (__ldcg(&work->outside) != 0) {
    finish(b, plane, result_of_scan(valid, false), false);
    return Phase::done;
  }
  const int lane = threadIdx.x % 32;
  const long long always = lane < 10 ? __ldcg(&work->moments[lane]) : 0;
  BoundaryCandidates& boundary = *reinterpret_cast<BoundaryCandidates*>(shared.search);
  Refiner& refiner = *reinterpret_cast<Refiner*>(boundary.refiner);
  if (threadIdx.x < 32) copy_by_warp(&refiner, &work->refiner);
  if (threadIdx.x == 0) {
    r.fit = work->fit;
    r.fit.valid = valid;
    work->scanned = 1;
  }
  gather_boundary(b, task, boundary);
  const Base base = refiner.base();
  Refiner::Next next;
  do {
    const Hypothesis change = refiner.change();
    next = advance_by_sums(r, refiner, sum_in_warp(sum_boundary(b, task, boundary, base, change)), always,
                           max_refits);
  } while (next == Refiner::Next::again);
  const Refined& end = refiner.result();
  const bool ended = next == Refiner::Next::done;
  __syncthreads();  // all threads have read the refiner, which the first one changes
  if (threadIdx.x == 0) {
    if (ended) {
      r.fit.refits = static_cast<std::uint32_t>(end.refits);
    } else {
      refiner.rebase();
      work->fit = r.fit;
    }
  }
  if (!ended) {
    begin_accumulate(work, refiner);
    return Phase::accumulate;
  }
  if (threadIdx.x < 32 && end.spans) report_by_warp(end, &r.fit);
  finish(b, plane, r.fit, false);
  return Phase::done;
}

}  // namespace datum::cuda
