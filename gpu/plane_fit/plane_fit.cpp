#include "gpu/plane_fit/plane_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/core/parallel_for.h"
#include "gpu/plane_fit/local_optimization_cpu.h"
#include "gpu/plane_fit/plane_fit_check.h"
#include "gpu/plane_fit/plane_fitter.h"
#include "gpu/plane_fit/refinement_cpu.h"
#include "gpu/plane_fit/sampling_cpu.h"

namespace datum {
namespace {

using namespace plane_math;

/// Three lists of x, y and z with room for `room` points each.
SearchScratch lists_in(float* memory, std::size_t room) {
  const auto list = [&](std::size_t i) {
    float* x = memory + 3 * i * room;
    return PointList{x, x + room, x + 2 * room, 0};
  };
  return SearchScratch{list(0), list(1), list(2)};
}

PlaneFit fit_one(const PlaneKernels& kernels, const PlanePoints& p, const PlaneFitSettings& settings,
                 const SearchScratch& lists) {
  const Cloud cloud{p.x, p.y, p.z, p.size};
  const FitRegion region{p.half_x, p.half_y, settings.residual == Residual::perpendicular};
  const auto scan = [&] {
    PointList chosen = lists.pool;  // the key limit 0 selects next to nothing
    return kernels.select(cloud, KeyRange{p.seed, 0}, p.half_x, p.half_y, &chosen);
  };
  SampledPoints sampled = sample_points(kernels, cloud, p.seed, settings.sampling, region, lists);
  if (settings.mode == FitMode::exact && !sampled.scanned) {
    sampled.scan = scan();
    sampled.scanned = true;
  }
  if (sampled.scanned) {
    const PlaneFit fit = result_of_scan(sampled.scan.valid, sampled.scan.in_bounds);
    if (fit.status != FitStatus::no_consensus || p.half_x == 0 || p.half_y == 0) return fit;
  }

  const Consensus consensus =
      find_consensus(kernels, cloud, sampled, p.seed, settings, region, lists.boundary);
  Refined refined;
  if (consensus.found) {
    const float threshold = std::max(settings.threshold, settings.refit_threshold);
    refined = refine(kernels, cloud, consensus.plane, threshold, region, lists.boundary, max_refits,
                     sampled.scanned ? nullptr : &sampled.scan);
  } else if (!sampled.scanned) {
    sampled.scan = scan();
  }
  PlaneFit fit = result_of_scan(sampled.scan.valid, sampled.scan.in_bounds);
  if (fit.status == FitStatus::out_of_bounds) return fit;
  fit.hypotheses = consensus.hypotheses;
  fit.refits = static_cast<std::uint32_t>(refined.refits);
  if (refined.spans) report(refined, &fit);
  return fit;
}

}  // namespace

const char* name_of(FitStatus status) {
  switch (status) {
    case FitStatus::ok:
      return "ok";
    case FitStatus::too_few_points:
      return "too few points";
    case FitStatus::no_consensus:
      return "no consensus";
    case FitStatus::out_of_bounds:
      return "out of bounds";
  }
  return "unknown";
}

void fit_planes(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings,
                const Backend& backend, PlaneFit* fits) {
  check_batch(planes, count, settings);
  if (count > 0 && !fits) throw std::invalid_argument("plane fit: a null pointer for the results");
  if (backend.kind != BackendKind::cpu)
    throw std::invalid_argument("plane fit: fit_planes is the CPU's; on a device CudaPlaneFit fits");

  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return planes[i].size > planes[j].size; });
  std::vector<PlaneFitter> fitters;
  for (unsigned i = 0; i < std::max(1u, backend.threads); ++i) fitters.emplace_back(backend.isa);
  parallel_for(backend.threads, count, [&](std::size_t i, unsigned slot) {
    fits[order[i]] = fitters[slot].fit(planes[order[i]], settings);
  });
}

PlaneFit PlaneFitter::fit(const PlanePoints& plane, const PlaneFitSettings& settings) {
  check_batch(&plane, 1, settings);
  const std::size_t room = plane.size + simd_padding;
  if (room > room_) {
    memory_.reset(new float[9 * room]);
    room_ = room;
  }
  return fit_one(plane_kernels(isa_), plane, settings, lists_in(memory_.get(), room));
}

}  // namespace datum
