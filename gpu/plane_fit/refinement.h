// Refinement on all points: least squares repeated to an unchanged inlier set, and the result that it gives (DESIGN.md,
// steps 6 to 9). Written once for every backend. C++17.
//
// The multi-plane paper (hypotheses.h) fits once (section II.1, step 3) and says that the step can be repeated. One
// fit is 15 times as far from the least-squares plane of the true inliers as the fixed point (DESIGN.md).
#pragma once

#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

namespace plane_math {

/// Half width of the boundary around the threshold, as a share of the threshold: a plane that moves less than this
/// anywhere in the region gains and loses boundary candidates only.
constexpr float boundary_share = 0.1875f;

/// Base plane of a pass. scale_x and scale_y: quantising_scale() of the region. *z_threshold_out: its inlier threshold
/// along z.
DATUM_HD Base base_at(const Plane& plane, float threshold, const FitRegion& region, float scale_x,
                      float scale_y, float* z_threshold_out) {
  Base base{};
  base.a = static_cast<float>(plane.a);
  base.b = static_cast<float>(plane.b);
  base.c = static_cast<float>(plane.c);
  const float z_threshold =
      static_cast<float>(threshold * slope_factor(base.a, base.b, region.perpendicular));
  base.always_inlier = z_threshold - boundary_share * z_threshold;
  base.possible_inlier = z_threshold + boundary_share * z_threshold;
  base.scale_x = scale_x;
  base.scale_y = scale_y;
  base.scale_r = quantising_scale(base.possible_inlier);
  *z_threshold_out = z_threshold;
  return base;
}

/// `change` of the base plane, with the inlier threshold along z of the changed plane.
DATUM_HD Hypothesis changed(const Base& base, const Plane& change, float threshold, const FitRegion& region) {
  const double factor = slope_factor(base.a + change.a, base.b + change.b, region.perpendicular);
  return Hypothesis{static_cast<float>(change.a), static_cast<float>(change.b), static_cast<float>(change.c),
                    static_cast<float>(threshold * factor)};
}

/// Whether all points that `change` moves across the threshold are boundary candidates. The change of a residual is
/// linear in x and y, so that the corners of the region bound it. 2^-19 of the threshold covers the rounding of the
/// residuals and of this bound: each is below 8 units in the last place of a float.
DATUM_HD bool within_boundary(const Base& base, const Hypothesis& change, const FitRegion& region) {
  const float z_threshold = (base.always_inlier + base.possible_inlier) / 2,
              half_width = (base.possible_inlier - base.always_inlier) / 2;
  const float moved = ::fabsf(change.a) * region.half_x + ::fabsf(change.b) * region.half_y +
                      ::fabsf(change.c) + ::fabsf(change.z_threshold - z_threshold);
  return moved + z_threshold * 1.9073486328125e-06f <= half_width;
}

}  // namespace plane_math

/// Result of a refinement.
struct Refined {
  bool spans = false;        // the inliers determine a plane; the other members mean nothing otherwise
  bool fixed_point = false;  // the inlier set did not change any more
  int refits = 0;
  plane_math::Plane plane;
  double sum_squares = 0;       // of the inliers' residuals along z
  double z_threshold = 0;       // inlier threshold along z
  plane_math::Moments moments;  // of the inliers
  plane_math::Base base{};      // scales of the moments
};

constexpr int max_refits = 32;

/// Alternates "inliers of the plane" and "least-squares plane of the inliers". Each half of a step lowers
/// sum(min(r^2, threshold^2)), so that the alternation ends; only rounding can make it a cycle of two sets. Of these it
/// keeps the larger, then the one with the smaller sum of squares, then the earlier. The caller reads the points:
///   do { rebase(); do sums = sum over the inliers of base() + change(); while (advance(sums) == again); }
///   while (it returned rebase);
class Refiner {
 public:
  enum class Next { again, rebase, done };

  DATUM_MEMBER Refiner(const plane_math::Plane& start, float threshold, const FitRegion& region)
      : threshold_(threshold),
        scale_x_(plane_math::quantising_scale(region.half_x)),
        scale_y_(plane_math::quantising_scale(region.half_y)),
        region_(region) {
    result_.plane = start;
  }

  /// Makes the current plane the base plane of a pass over all points.
  DATUM_MEMBER void rebase() {
    float z_threshold = 0;
    result_.base = plane_math::base_at(result_.plane, threshold_, region_, scale_x_, scale_y_, &z_threshold);
    steps_[0] = Step{};
    steps_[1] = Step{};
    change_ = plane_math::Hypothesis{0, 0, 0, z_threshold};
  }
  DATUM_MEMBER const plane_math::Base& base() const { return result_.base; }
  DATUM_MEMBER const plane_math::Hypothesis& change() const { return change_; }
  DATUM_MEMBER const Refined& result() const { return result_; }

  /// `sums`: over the points within change().z_threshold of the base plane plus change(). At most `limit` refits.
  DATUM_MEMBER Next advance(const plane_math::Moments& sums, int limit) {
    const bool unchanged = sums == sums_before(0), cycles = sums == sums_before(1);
    if (unchanged || cycles) return settle(unchanged);
    oldest() = sums;
    const plane_math::Solution solution = plane_math::solve(sums, base());
    return accept(solution, changed_by(solution), limit);
  }

  // The parts of advance(), for a device whose threads share the work.
  /// The sums of the last step (0) and of the one before it (1) on the same base plane.
  DATUM_MEMBER const plane_math::Moments& sums_before(int steps) const {
    return steps_[steps == 0 ? newest_ : 1 - newest_].moments;
  }
  /// The place for the sums of a new inlier set: it replaces those of the step before the last.
  DATUM_MEMBER plane_math::Moments& oldest() { return steps_[1 - newest_].moments; }
  /// Ends at an inlier set that is the last one (`unchanged`) or the one before it.
  DATUM_MEMBER Next settle(bool unchanged) {
    const Step &last = steps_[newest_], &before = steps_[1 - newest_];
    const Step& kept = unchanged || !better(before, last) ? last : before;
    result_.fixed_point = true;
    keep(kept);
    return Next::done;
  }
  DATUM_MEMBER plane_math::Hypothesis changed_by(const plane_math::Solution& solution) const {
    return plane_math::changed(base(), solution.change, threshold_, region_);
  }
  /// Continues with the least-squares plane of the sums in oldest(), `change` being changed_by() it.
  DATUM_MEMBER Next accept(const plane_math::Solution& solution, const plane_math::Hypothesis& change,
                           int limit) {
    result_.spans = solution.spans;
    if (!result_.spans) return Next::done;
    ++result_.refits;
    change_ = change;
    result_.z_threshold = change_.z_threshold;
    newest_ = 1 - newest_;
    steps_[newest_].solution = solution;
    if (result_.refits < limit && plane_math::within_boundary(base(), change_, region_)) return Next::again;
    keep(steps_[newest_]);
    return result_.refits == limit ? Next::done : Next::rebase;
  }

 private:
  struct Step {
    plane_math::Moments moments;
    plane_math::Solution solution;
  };
  DATUM_MEMBER static bool better(const Step& p, const Step& q) {
    if (p.moments.n != q.moments.n) return p.moments.n > q.moments.n;
    return p.solution.sum_squares < q.solution.sum_squares;
  }
  DATUM_MEMBER void keep(const Step& step) {
    const plane_math::Base& base = result_.base;
    const plane_math::Plane& change = step.solution.change;
    result_.plane = plane_math::Plane{base.a + change.a, base.b + change.b, base.c + change.c};
    result_.moments = step.moments;
    result_.sum_squares = step.solution.sum_squares;
  }

  float threshold_, scale_x_, scale_y_;
  FitRegion region_;
  Refined result_;
  Step steps_[2];  // the last two on the same base plane
  int newest_ = 0;
  plane_math::Hypothesis change_{};
};

/// Result of the validity and bounds scan: no_consensus stands for "no plane yet".
DATUM_HD PlaneFit result_of_scan(std::uint32_t valid, bool in_bounds) {
  PlaneFit fit;
  fit.valid = valid;
  fit.status = !in_bounds  ? FitStatus::out_of_bounds
               : valid < 3 ? FitStatus::too_few_points
                           : FitStatus::no_consensus;
  return fit;
}

/// Writes the plane and the statistics of its inliers.
DATUM_HD void report(const Refined& r, PlaneFit* fit) {
  fit->status = FitStatus::ok;
  fit->fixed_point = r.fixed_point;
  fit->a = r.plane.a;
  fit->b = r.plane.b;
  fit->c = r.plane.c;
  const plane_math::Moments& m = r.moments;
  const double n = double(m.n), sx = r.base.scale_x, sy = r.base.scale_y;
  fit->inliers = static_cast<std::uint32_t>(m.n);
  fit->rms = ::sqrt(r.sum_squares / n);
  fit->mean_x = double(m.x) / n / sx;
  fit->mean_y = double(m.y) / n / sy;
  fit->sxx = plane_math::central(m.n, m.xx, m.x, m.x) / n / (sx * sx);
  fit->sxy = plane_math::central(m.n, m.xy, m.x, m.y) / n / (sx * sy);
  fit->syy = plane_math::central(m.n, m.yy, m.y, m.y) / n / (sy * sy);
}

}  // namespace datum
