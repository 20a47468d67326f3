// A comparison in one order without a GPU: by this program's CPU.
#pragma once

#include "gpu/core/parallel_for.h"
#include "gpu/surface_compare/surface_comparer.h"

namespace datum::testing {

class ComparerHere final : public SurfaceComparer {
 public:
  bool takes(const PartShots&, std::size_t) const override { return true; }
  bool compare(const ComparedModel& model, const PartToCompare& part, const CompareSettings& settings,
               const ComparedTaken& out) override {
    out.sent();
    compare_shots(model, part.shots, settings, cpu_backend(2), out.room());
    constexpr std::size_t piece = 1000;
    parallel_for(3, (part.shots.points + piece - 1) / piece, [&](std::size_t k, unsigned) {
      out.taken(k * piece, std::min(part.shots.points, (k + 1) * piece));
    });
    if (part.sums.model) sum(part);
    ++parts;
    return true;
  }
  std::string describe() const override { return "here"; }

  static void sum(const PartToCompare& part) {
    const MatchOfPoints& how = part.sums.how;
    sum_compared(*part.sums.model, points_of(part.shots, 1), part.shots, how, part.sums.out);
  }

  int parts = 0;
};

}  // namespace datum::testing
