#include "gpu/plane_fit/plane_fit_refine.h"

#include <cmath>

namespace datum {
namespace {

using namespace plane_math;

/// Share of the threshold that the band list covers on either side: a plane that moves less anywhere in the
/// region can only win or lose points of the band.
constexpr float band_share = 0.125f;

Base base_at(const Plane& plane, float threshold, const FitRegion& region) {
  Base base{};
  base.a = static_cast<float>(plane.a);
  base.b = static_cast<float>(plane.b);
  base.c = static_cast<float>(plane.c);
  const float reach = static_cast<float>(threshold * slope_factor(base.a, base.b, region.perpendicular));
  base.core = reach - band_share * reach;
  base.outer = reach + band_share * reach;
  base.scale_x = quantising_scale(region.half_x);
  base.scale_y = quantising_scale(region.half_y);
  base.scale_r = quantising_scale(base.outer);
  return base;
}

Hypothesis changed(const Base& base, const Plane& change, float threshold, const FitRegion& region) {
  const double factor = slope_factor(base.a + change.a, base.b + change.b, region.perpendicular);
  return Hypothesis{static_cast<float>(change.a), static_cast<float>(change.b), static_cast<float>(change.c),
                    static_cast<float>(threshold * factor)};
}

/// Whether all points that `change` moves across its threshold lie on the band list: the change of a residual
/// is linear, so the region's corners bound it. 2^-20 of the threshold covers the rounding of the residuals.
bool within_band(const Base& base, const Hypothesis& change, const FitRegion& region) {
  const double reach = (double(base.core) + base.outer) / 2, half_band = (double(base.outer) - base.core) / 2;
  const double moved = std::fabs(change.a) * double(region.half_x) +
                       std::fabs(change.b) * double(region.half_y) + std::fabs(change.c) +
                       std::fabs(change.reach - reach);
  return moved + reach * 0x1p-20 <= half_band;
}

struct Step {
  Moments moments;
  Solution solution;
};

bool better(const Step& p, const Step& q) {
  if (p.moments.n != q.moments.n) return p.moments.n > q.moments.n;
  return p.solution.sum_squares < q.solution.sum_squares;
}

}  // namespace

Refined refine(const PlaneKernels& kernels, const Cloud& cloud, const Plane& start, float threshold,
               const FitRegion& region, PointList band, int limit) {
  Refined result;
  result.plane = start;
  for (bool rebase = true; rebase;) {
    const Base base = result.base = base_at(result.plane, threshold, region);
    band.size = 0;
    const Moments core = kernels.accumulate(cloud, base, &band);
    const Cloud near{band.x, band.y, band.z, band.size};
    Step last, before;
    Hypothesis change = changed(base, Plane{}, threshold, region);
    for (;;) {
      Step now{core + kernels.accumulate_band(near, base, change), {}};
      const bool still = now.moments == last.moments, swings = now.moments == before.moments;
      if (still || swings) {
        const Step& kept = still || !better(before, last) ? last : before;
        result.fixed_point = true;
        result.moments = kept.moments;
        result.sum_squares = kept.solution.sum_squares;
        result.plane = Plane{base.a + kept.solution.change.a, base.b + kept.solution.change.b,
                             base.c + kept.solution.change.c};
        return result;
      }
      now.solution = solve(now.moments, base);
      result.spans = now.solution.spans;
      if (!result.spans) return result;
      ++result.refits;
      const Plane& moved = now.solution.change;
      result.plane = Plane{base.a + moved.a, base.b + moved.b, base.c + moved.c};
      result.moments = now.moments;
      result.sum_squares = now.solution.sum_squares;
      change = changed(base, moved, threshold, region);
      result.reach = change.reach;
      if (result.refits == limit) return result;
      if (!within_band(base, change, region)) break;
      before = last;
      last = now;
    }
  }
  return result;
}

}  // namespace datum
