// Least squares on the sampled points, and which plane is the best of those it ends at: for every backend. C++17.
#pragma once

#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/sampling.h"

namespace datum {

namespace plane_math {
constexpr int candidates = 8;  // best hypotheses of the subset that are optimised locally
}  // namespace plane_math

/// Where least squares on the points sampled ended: a start for all points.
struct LocalOptimum {
  bool spans = false;  // the inliers span a plane; nothing below counts otherwise
  plane_math::Plane plane;
  double z_threshold = 0;  // threshold along z
  std::int64_t inliers = 0;
  double sum_squares = 0;  // of their vertical residuals
};

/// The same alternation on the points sampled, rough, for all points follow: in 11 bits, until a plane moves by less than
/// 1/8 of the threshold. take() the sums over |r| < base().always_inlier until it says that this is the end.
class LocalOptimizer {
 public:
  /// 11 bits: sums of products of all points sampled fit 32 bits.
  static constexpr int most = 1023;
  static_assert(std::int64_t{plane_math::max_sampled_points} * most * most < (1LL << 31),
                "32-bit sum overflows");
  static constexpr double least = 4;  // variance of the inliers, in squared steps of 11 bits
  static constexpr int limit = 16;
  static constexpr float still = 0.125f;

  DATUM_MEMBER LocalOptimizer(const plane_math::Plane& start, float threshold, const FitRegion& region)
      : threshold_(threshold), region_(region) {
    base_.scale_x = plane_math::quantising_scale(region.half_x, most);
    base_.scale_y = plane_math::quantising_scale(region.half_y, most);
    base_.possible_inlier = -1;
    begin_at(start);
  }
  DATUM_MEMBER const plane_math::Base& base() const { return base_; }
  DATUM_MEMBER const LocalOptimum& result() const { return result_; }

  /// False: this was the last step.
  DATUM_MEMBER bool advance(const plane_math::Moments& sums) {
    return accept(sums.n, plane_math::solve(sums, base_, least));
  }
  DATUM_MEMBER bool accept(std::int64_t inliers, const plane_math::Solution& solution) {
    result_.spans = solution.spans;
    if (!solution.spans) return false;
    const plane_math::Plane& change = solution.change;
    result_.plane = plane_math::Plane{base_.a + change.a, base_.b + change.b, base_.c + change.c};
    result_.z_threshold = base_.always_inlier;
    result_.inliers = inliers;
    result_.sum_squares = solution.sum_squares;
    const double moved =
        ::fabs(change.a) * region_.half_x + ::fabs(change.b) * region_.half_y + ::fabs(change.c);
    if (++steps_ == limit || !(moved > still * base_.always_inlier)) return false;
    begin_at(result_.plane);
    return true;
  }

 private:
  DATUM_MEMBER void begin_at(const plane_math::Plane& plane) {
    base_.a = static_cast<float>(plane.a);
    base_.b = static_cast<float>(plane.b);
    base_.c = static_cast<float>(plane.c);
    base_.always_inlier =
        static_cast<float>(threshold_ * plane_math::slope_factor(base_.a, base_.b, region_.perpendicular));
    base_.scale_r = plane_math::quantising_scale(base_.always_inlier, most);
  }

  float threshold_;
  FitRegion region_;
  plane_math::Base base_{};
  LocalOptimum result_;
  int steps_ = 0;
};

/// Whether the alternation from `start` is bound to end where it ended before: both stay within two
/// thresholds of each other everywhere. Planes through three points of a floor do, a plane that bridges two
/// levels does not.
DATUM_HD bool is_duplicate(const plane_math::Plane& start, const LocalOptimum& ended,
                           const FitRegion& region) {
  const double apart = ::fabs(start.a - ended.plane.a) * region.half_x +
                       ::fabs(start.b - ended.plane.b) * region.half_y + ::fabs(start.c - ended.plane.c);
  return apart <= 2 * ended.z_threshold;
}

/// Inliers less their squared residuals in units of the threshold: a plane that bridges two levels can collect as many
/// inliers as a floor, but they do not lie as close to it.
DATUM_HD double msac_score(const LocalOptimum& p) {
  return double(p.inliers) - p.sum_squares / (p.z_threshold * p.z_threshold);
}

}  // namespace datum
