// What happens between the passes over the points, written once for every backend: how many points are drawn, when the
// sequential rule ends, how least squares is repeated. C++17.
#pragma once

#include "gpu/plane_fit/plane_fit.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum {

/// What a plane is fitted over, and how its threshold is meant.
struct FitRegion {
  float half_x, half_y;
  bool perpendicular;
};

namespace plane_math {

constexpr std::uint32_t subset_target = 1024, pool_target = 256;
constexpr int candidates = 8;  // best hypotheses of the subset that are polished before one is chosen

/// Key limit that `target` of `valid` points are expected to meet; all of them where they are not many more.
DATUM_HD std::uint32_t key_limit(std::uint32_t valid, std::uint32_t target) {
  if (valid <= target + target / 2) return 0xFFFFFFFFu;
  return static_cast<std::uint32_t>((std::uint64_t{target} << 32) / valid - 1);
}

/// Points are drawn by number in fours that lie beside each other, for memory is read in such pieces. These are looked
/// at: all where they are not many more than a subset.
constexpr std::uint32_t most_looked_at = subset_target + subset_target / 2;
DATUM_HD std::uint32_t fours_looked_at(std::uint32_t size) {
  return size <= most_looked_at ? (size + 3) / 4 : subset_target / 4;
}

/// Which four is the k-th of them, k < fours_looked_at(size): one of each of as many equal parts of the points. The last
/// may have less than four points. (Hypotheses have counters whose second word is 0.)
DATUM_HD std::uint32_t drawn_four(std::uint32_t k, std::uint32_t size, std::uint64_t seed) {
  if (size <= most_looked_at) return k;
  const std::uint64_t fours = (size + 3) / 4;
  const auto begin = static_cast<std::uint32_t>(k * fours / (subset_target / 4)),
             end = static_cast<std::uint32_t>((k + 1) * fours / (subset_target / 4));
  return begin + multiply_high(philox(PhiloxBlock{{k, 1, 0, 0}}, seed).word[0], end - begin);
}

/// A point without a height stands for nothing; one out of bounds ends the fit, but not here.
DATUM_HD bool may_be_drawn(float x, float y, float z, const FitRegion& region) {
  return has_height(z) && ::fabsf(x) <= region.half_x && ::fabsf(y) <= region.half_y;
}

/// Whether `drawn` points, those of the fours that have a height, are too few to stand for a plane.
DATUM_HD bool too_few_drawn(std::uint32_t drawn, std::uint32_t size) {
  return 2 * drawn < (size <= most_looked_at ? size : subset_target);
}

/// A ratio seen on `points` of more, drawn one by one, is off by at most 2.33 sqrt(0.25 / points) in 99 of 100 cases: N is
/// reckoned for as many inliers fewer. (Points beside each other may be alike: of fours it may be off twice as much.)
DATUM_HD std::int64_t count_margin(std::uint32_t points, bool of_more) {
  return of_more ? static_cast<std::int64_t>(::ceil(2.33 * ::sqrt(0.25 * points))) : 0;
}

/// Least area of a sample that is not degenerate (`through`).
DATUM_HD double least_area(const FitRegion& region) {
  return double(region.half_x) * region.half_y * 0.000244140625;  // 2^-12
}

/// The hypothesis of number `index` through three of `pool_size` >= 3 points; point(i) gives one.
template <class Pool>
DATUM_HD Hypothesis hypothesis_of(std::uint32_t index, std::uint64_t seed, const Pool& pool,
                                  std::uint32_t pool_size, float threshold, const FitRegion& region) {
  const Triple t = draw_three(philox(PhiloxBlock{{index, 0, 0, 0}}, seed), pool_size);
  return through(pool[t.index[0]], pool[t.index[1]], pool[t.index[2]], least_area(region), threshold,
                 region.perpendicular);
}

/// Share of the threshold that the band list covers on either side: a plane that moves less anywhere in the
/// region can only win or lose points of the band.
constexpr float band_share = 0.1875f;

/// `scale_x` and `scale_y`: of the region. `reach`: the threshold along z.
DATUM_HD Base base_at(const Plane& plane, float threshold, const FitRegion& region, float scale_x,
                      float scale_y, float* reach_at) {
  Base base{};
  base.a = static_cast<float>(plane.a);
  base.b = static_cast<float>(plane.b);
  base.c = static_cast<float>(plane.c);
  const float reach = static_cast<float>(threshold * slope_factor(base.a, base.b, region.perpendicular));
  base.core = reach - band_share * reach;
  base.outer = reach + band_share * reach;
  base.scale_x = scale_x;
  base.scale_y = scale_y;
  base.scale_r = quantising_scale(base.outer);
  *reach_at = reach;
  return base;
}

DATUM_HD Hypothesis changed(const Base& base, const Plane& change, float threshold, const FitRegion& region) {
  const double factor = slope_factor(base.a + change.a, base.b + change.b, region.perpendicular);
  return Hypothesis{static_cast<float>(change.a), static_cast<float>(change.b), static_cast<float>(change.c),
                    static_cast<float>(threshold * factor)};
}

/// Whether all points that `change` moves across its threshold lie on the band list: the change of a residual
/// is linear, so the region's corners bound it. 2^-19 of the threshold covers the rounding of the residuals and of this.
DATUM_HD bool within_band(const Base& base, const Hypothesis& change, const FitRegion& region) {
  const float reach = (base.core + base.outer) / 2, half_band = (base.outer - base.core) / 2;
  const float moved = ::fabsf(change.a) * region.half_x + ::fabsf(change.b) * region.half_y +
                      ::fabsf(change.c) + ::fabsf(change.reach - reach);
  return moved + reach * 1.9073486328125e-06f <= half_band;
}

}  // namespace plane_math

struct Refined {
  bool spans = false;        // the inliers span a plane; nothing below counts otherwise
  bool fixed_point = false;  // the inlier set stood still
  int refits = 0;
  plane_math::Plane plane;
  double sum_squares = 0;       // of the inliers' vertical residuals
  double reach = 0;             // threshold along z
  plane_math::Moments moments;  // of the inliers
  plane_math::Base base{};      // scales of the moments
};

constexpr int max_refits = 32;

/// Alternates "inliers of the plane" and "least-squares plane of the inliers". Each half of a step lowers
/// sum(min(r^2, threshold^2)), so the alternation ends; rounding alone can make it swing between two sets, of which the
/// larger (then the one of smaller sum of squares, then the earlier) is kept. The points are read by whoever drives it:
///   rebase(); do sum the inliers of base() + change() while take(sums) == again; repeat while it says rebase.
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

  /// The next pass is over all points.
  DATUM_MEMBER void rebase() {
    float reach = 0;
    result_.base = plane_math::base_at(result_.plane, threshold_, region_, scale_x_, scale_y_, &reach);
    steps_[0] = Step{};
    steps_[1] = Step{};
    change_ = plane_math::Hypothesis{0, 0, 0, reach};
  }
  DATUM_MEMBER const plane_math::Base& base() const { return result_.base; }
  DATUM_MEMBER const plane_math::Hypothesis& change() const { return change_; }
  DATUM_MEMBER const Refined& result() const { return result_; }

  /// `sums`: of the points within change().reach of the base plane plus change().
  DATUM_MEMBER Next take(const plane_math::Moments& sums, int limit) {
    const bool still = sums == sums_before(0), swings = sums == sums_before(1);
    if (still || swings) return settle(still);
    oldest() = sums;
    const plane_math::Solution solution = plane_math::solve(sums, base());
    return accept(solution, changed_by(solution), limit);
  }

  // take() in its parts, for a device whose threads share the work.
  /// The sums of the last step (0) and of the one before it (1) on the same base plane.
  DATUM_MEMBER const plane_math::Moments& sums_before(int steps) const {
    return steps_[steps == 0 ? newest_ : 1 - newest_].moments;
  }
  /// Where the sums of another inlier set go, in place of those before the last.
  DATUM_MEMBER plane_math::Moments& oldest() { return steps_[1 - newest_].moments; }
  /// The inlier set stands still or swings.
  DATUM_MEMBER Next settle(bool still) {
    const Step &last = steps_[newest_], &before = steps_[1 - newest_];
    const Step& kept = still || !better(before, last) ? last : before;
    result_.fixed_point = true;
    keep(kept);
    return Next::done;
  }
  DATUM_MEMBER plane_math::Hypothesis changed_by(const plane_math::Solution& solution) const {
    return plane_math::changed(base(), solution.change, threshold_, region_);
  }
  /// The least-squares plane of the sums in oldest(), and changed_by() it.
  DATUM_MEMBER Next accept(const plane_math::Solution& solution, const plane_math::Hypothesis& change,
                           int limit) {
    result_.spans = solution.spans;
    if (!result_.spans) return Next::done;
    ++result_.refits;
    change_ = change;
    result_.reach = change_.reach;
    newest_ = 1 - newest_;
    steps_[newest_].solution = solution;
    if (result_.refits < limit && plane_math::within_band(base(), change_, region_)) return Next::again;
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

/// Where least squares on the points drawn ended: a start for all points.
struct Polished {
  bool spans = false;  // the inliers span a plane; nothing below counts otherwise
  plane_math::Plane plane;
  double reach = 0;  // threshold along z
  std::int64_t inliers = 0;
  double sum_squares = 0;  // of their vertical residuals
};

/// The same alternation on the points drawn, rough, for all points follow: in 11 bits, until a plane moves by less than
/// 1/8 of the threshold. take() the sums over |r| < base().core until it says that this is the end.
class Polisher {
 public:
  /// 11 bits: sums of products of all points drawn fit 32 bits.
  static constexpr int most = 1023;
  static_assert(std::int64_t{plane_math::most_looked_at} * most * most < (1LL << 31), "32-bit sum overflows");
  static constexpr double least = 4;  // variance of the inliers, in squared steps of 11 bits
  static constexpr int limit = 16;
  static constexpr float still = 0.125f;

  DATUM_MEMBER Polisher(const plane_math::Plane& start, float threshold, const FitRegion& region)
      : threshold_(threshold), region_(region) {
    base_.scale_x = plane_math::quantising_scale(region.half_x, most);
    base_.scale_y = plane_math::quantising_scale(region.half_y, most);
    base_.outer = -1;
    begin_at(start);
  }
  DATUM_MEMBER const plane_math::Base& base() const { return base_; }
  DATUM_MEMBER const Polished& result() const { return result_; }

  /// False: this was the last step.
  DATUM_MEMBER bool take(const plane_math::Moments& sums) {
    return accept(sums.n, plane_math::solve(sums, base_, least));
  }
  DATUM_MEMBER bool accept(std::int64_t inliers, const plane_math::Solution& solution) {
    result_.spans = solution.spans;
    if (!solution.spans) return false;
    const plane_math::Plane& change = solution.change;
    result_.plane = plane_math::Plane{base_.a + change.a, base_.b + change.b, base_.c + change.c};
    result_.reach = base_.core;
    result_.inliers = inliers;
    result_.sum_squares = solution.sum_squares;
    const double moved =
        ::fabs(change.a) * region_.half_x + ::fabs(change.b) * region_.half_y + ::fabs(change.c);
    if (++steps_ == limit || !(moved > still * base_.core)) return false;
    begin_at(result_.plane);
    return true;
  }

 private:
  DATUM_MEMBER void begin_at(const plane_math::Plane& plane) {
    base_.a = static_cast<float>(plane.a);
    base_.b = static_cast<float>(plane.b);
    base_.c = static_cast<float>(plane.c);
    base_.core =
        static_cast<float>(threshold_ * plane_math::slope_factor(base_.a, base_.b, region_.perpendicular));
    base_.scale_r = plane_math::quantising_scale(base_.core, most);
  }

  float threshold_;
  FitRegion region_;
  plane_math::Base base_{};
  Polished result_;
  int steps_ = 0;
};

/// Whether the alternation from `start` is bound to end where it ended before: both stay within two
/// thresholds of each other everywhere. Planes through three points of a floor do, a plane that bridges two
/// levels does not.
DATUM_HD bool same_basin(const plane_math::Plane& start, const Polished& ended, const FitRegion& region) {
  const double apart = ::fabs(start.a - ended.plane.a) * region.half_x +
                       ::fabs(start.b - ended.plane.b) * region.half_y + ::fabs(start.c - ended.plane.c);
  return apart <= 2 * ended.reach;
}

/// Inliers less their squared residuals in units of the threshold: a plane that bridges two levels can collect as many
/// inliers as a floor, but they do not lie as close to it.
DATUM_HD double gain_of(const Polished& p) { return double(p.inliers) - p.sum_squares / (p.reach * p.reach); }

/// What is known of a plane once all its points were looked at.
DATUM_HD PlaneFit surveyed(std::uint32_t valid, bool in_bounds) {
  PlaneFit fit;
  fit.valid = valid;
  fit.status = !in_bounds  ? FitStatus::out_of_bounds
               : valid < 3 ? FitStatus::too_few_points
                           : FitStatus::no_consensus;
  return fit;
}

/// The part of a result that the inliers' moments make.
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
