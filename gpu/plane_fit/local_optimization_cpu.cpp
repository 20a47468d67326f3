#include "gpu/plane_fit/local_optimization_cpu.h"

#include <algorithm>
#include <array>

#include "gpu/plane_fit/hypotheses_cpu.h"
#include "gpu/plane_fit/local_optimization.h"

namespace datum {

namespace {

using namespace plane_math;

Plane plane_of(const Hypothesis& h) { return Plane{h.a, h.b, h.c}; }

/// Results of the local optimisations so far.
struct Optima {
  std::array<LocalOptimum, candidates> at;
  std::size_t count = 0;
  bool has_near(const Plane& plane, const FitRegion& region) const {
    return std::any_of(at.begin(), at.begin() + count,
                       [&](const LocalOptimum& end) { return is_duplicate(plane, end, region); });
  }
};

/// Result of the optimisation of `start`; spans is false where it came near one of `optima`, at which it would end too.
LocalOptimum optimize_locally(const PlaneKernels& kernels, const Cloud& subset, const Plane& start,
                              float threshold, const FitRegion& region, PointList boundary,
                              const Optima& optima) {
  LocalOptimizer optimizer(start, threshold, region);
  for (bool more = true; more;) {
    boundary.size = 0;
    more = optimizer.advance(kernels.accumulate(subset, optimizer.base(), &boundary));
    if (optima.has_near(optimizer.result().plane, region)) return LocalOptimum{};
  }
  return optimizer.result();
}

/// Optimises the best hypotheses, down to 3/4 of the highest count; *plane is the optimum of the best MSAC score.
bool optimize_best(const PlaneKernels& kernels, const Cloud& subset, const StoppingRule& rule,
                   float threshold, const FitRegion& region, const PointList& boundary, Plane* plane) {
  Optima optima;
  double best = -1;
  for (const Candidate& c : rule.best()) {
    if (c.count < 3 || 4 * c.count < 3 * rule.best().front().count) break;
    const Plane start = plane_of(c.hypothesis);
    if (optima.has_near(start, region)) continue;
    const LocalOptimum p = optimize_locally(kernels, subset, start, threshold, region, boundary, optima);
    if (!p.spans) continue;
    optima.at[optima.count++] = p;
    if (msac_score(p) > best) {
      best = msac_score(p);
      *plane = p.plane;
    }
  }
  return best >= 0;
}

}  // namespace

Consensus find_consensus(const PlaneKernels& kernels, const Cloud& cloud, const SampledPoints& sampled,
                         std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                         const PointList& boundary) {
  Consensus result;
  if (sampled.pool.size < 3) return result;
  const bool screened = settings.mode == FitMode::screened;
  const Cloud subset = cloud_of(sampled.subset);
  const std::uint32_t points = screened ? static_cast<std::uint32_t>(subset.size) : sampled.scan.valid;
  const std::int64_t margin = count_margin(points, screened && sampled.of_more);
  StoppingRule rule(settings, points, margin);
  result.hypotheses = static_cast<std::uint32_t>(
      test_hypotheses(kernels, screened ? subset : cloud, sampled.pool, seed, settings, region, &rule));
  const Candidate& winner = rule.best().front();
  result.found = winner.count >= 3;
  result.plane = plane_of(winner.hypothesis);
  if (!result.found) return result;
  if (screened) {
    result.found = optimize_best(kernels, subset, rule, settings.threshold, region, boundary, &result.plane);
  } else {
    const LocalOptimum p =
        optimize_locally(kernels, subset, result.plane, settings.threshold, region, boundary, Optima{});
    if (p.spans) result.plane = p.plane;
  }
  return result;
}

}  // namespace datum
