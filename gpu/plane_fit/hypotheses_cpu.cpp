#include "gpu/plane_fit/hypotheses_cpu.h"

#include <algorithm>

namespace datum {

namespace {

using namespace plane_math;

constexpr int batch = 8;  // hypotheses counted together; the rule makes the result independent of it

struct Pool {
  const PointList& points;
  Point operator[](std::uint32_t i) const { return Point{points.x[i], points.y[i], points.z[i]}; }
};

}  // namespace

void StoppingRule::add(const Hypothesis& h, std::uint32_t count) {
  // behind those of equal counts, whose numbers are lower
  const auto place =
      std::find_if(best_.begin(), best_.end(), [&](const Candidate& c) { return c.count < count; });
  if (place != best_.end()) {
    std::move_backward(place, best_.end() - 1, best_.end());
    *place = Candidate{count, h};
  }
  if (count > top_) {
    top_ = count;
    needed_ = hypotheses_needed(top_ - margin_, points_, p_, needed_);
  }
}

int test_hypotheses(const PlaneKernels& kernels, const Cloud& counted, const PointList& pool,
                    std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                    StoppingRule* rule) {
  int tried = 0;
  while (tried < rule->needed()) {
    Hypothesis h[batch];
    std::uint32_t counts[batch];
    const int k = std::min(batch, rule->needed() - tried);
    for (int i = 0; i < k; ++i)
      h[i] = hypothesis_of(static_cast<std::uint32_t>(tried + i), seed, Pool{pool},
                           static_cast<std::uint32_t>(pool.size), settings.threshold, region);
    kernels.count(counted, h, k, counts);
    for (int i = 0; i < k && tried < rule->needed(); ++i, ++tried) rule->add(h[i], counts[i]);
  }
  return tried;
}

}  // namespace datum
