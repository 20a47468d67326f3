// Local optimisation of the best hypotheses on the sampled points, and the score by which one is chosen (DESIGN.md,
// step 5). Written once for every backend. C++17.
//
// O. Chum, J. Matas and J. Kittler, "Locally Optimized RANSAC", DAGM 2003.
// P. H. S. Torr and A. Zisserman, "MLESAC: a new robust estimator with application to estimating image geometry",
// Computer Vision and Image Understanding 78(1), 2000: the score of MSAC.
#pragma once

#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/sampling.h"

namespace datum {

namespace plane_math {
constexpr int candidates = 8;  // the best hypotheses, which are optimised locally
}  // namespace plane_math

/// Result of a local optimisation: the start plane for the refinement on all points.
struct LocalOptimum {
  bool spans = false;  // the inliers determine a plane; the other members mean nothing otherwise
  plane_math::Plane plane;
  double z_threshold = 0;  // inlier threshold along z
  std::int64_t inliers = 0;
  double sum_squares = 0;  // of the inliers' residuals along z
};

/// Alternates "inliers of the plane" and "least-squares plane of the inliers" on the sampled points, until the plane
/// moves by less than 1/8 of the threshold. 11-bit integers suffice because the refinement on all points follows. The
/// caller passes the sums over |r| < base().always_inlier to advance() while it returns true.
class LocalOptimizer {
 public:
  /// 11 bits: the sum of the products of all sampled points fits 32 bits.
  static constexpr int most = 1023;
  static_assert(std::int64_t{plane_math::max_sampled_points} * most * most < (1LL << 31),
                "32-bit sum overflows");
  static constexpr double least = 4;  // variance of the inliers, in squared quantisation steps of 11 bits
  static constexpr int limit = 16;
  static constexpr float least_move = 0.125f;  // of a plane that goes on, in thresholds

  DATUM_MEMBER LocalOptimizer(const plane_math::Plane& start, float threshold, const FitRegion& region)
      : threshold_(threshold), region_(region) {
    base_.scale_x = plane_math::quantising_scale(region.half_x, most);
    base_.scale_y = plane_math::quantising_scale(region.half_y, most);
    base_.possible_inlier = -1;
    begin_at(start);
  }
  DATUM_MEMBER const plane_math::Base& base() const { return base_; }
  DATUM_MEMBER const LocalOptimum& result() const { return result_; }

  /// Returns false after the last step.
  DATUM_MEMBER bool advance(const plane_math::Moments& sums) {
    return accept(sums.n, plane_math::solve(sums, base_, least));
  }
  /// advance() for a device whose threads share the solution of the sums.
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
    if (++steps_ == limit || !(moved > least_move * base_.always_inlier)) return false;
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

/// Whether `start` is a duplicate hypothesis of a plane that was optimised: both lie within two thresholds of each
/// other in the whole region. Its optimisation would end at the same plane. Planes through three points of one floor
/// are duplicates, a plane that bridges two levels is none.
DATUM_HD bool is_duplicate(const plane_math::Plane& start, const LocalOptimum& ended,
                           const FitRegion& region) {
  const double apart = ::fabs(start.a - ended.plane.a) * region.half_x +
                       ::fabs(start.b - ended.plane.b) * region.half_y + ::fabs(start.c - ended.plane.c);
  return apart <= 2 * ended.z_threshold;
}

/// MSAC score: sum(1 - r^2 / threshold^2) over the inliers, which is the number of points less MSAC's cost in squared
/// thresholds. A count alone does not tell a floor from a plane that bridges two levels.
DATUM_HD double msac_score(const LocalOptimum& p) {
  return double(p.inliers) - p.sum_squares / (p.z_threshold * p.z_threshold);
}

}  // namespace datum
