// Hypotheses and the sequential stopping rule on the CPU.
#pragma once

#include <array>

#include "gpu/plane_fit/hypotheses.h"
#include "gpu/plane_fit/local_optimization.h"
#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/plane_fit_kernels.h"

namespace datum {

struct Candidate {
  std::int64_t count = -1;
  plane_math::Hypothesis hypothesis{};
};

/// The sequential stopping rule (the multi-plane paper, section II.1) over counts that come in batches: N shrinks with
/// every new best count; of equal counts the lower number wins.
class StoppingRule {
 public:
  StoppingRule(const PlaneFitSettings& s, std::uint32_t points, std::int64_t margin)
      : p_(s.confidence), points_(points), margin_(margin), needed_(s.max_hypotheses) {}

  int needed() const { return needed_; }
  void add(const plane_math::Hypothesis& h, std::uint32_t count);
  const std::array<Candidate, plane_math::candidates>& best() const { return best_; }

 private:
  double p_;
  std::uint32_t points_;
  std::int64_t margin_, top_ = -1;
  int needed_;
  std::array<Candidate, plane_math::candidates> best_;
};

/// Generates hypotheses through points of the pool and counts them on `counted` until the rule ends. Returns N.
int test_hypotheses(const PlaneKernels& kernels, const Cloud& counted, const PointList& pool,
                    std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                    StoppingRule* rule);

}  // namespace datum
