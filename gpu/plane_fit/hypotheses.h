// Hypotheses: planes through three sampled points, and how many of them the sequential stopping rule needs (DESIGN.md,
// steps 2 to 4). Written once for every backend. C++17.
//
// M. A. Fischler and R. C. Bolles, "Random Sample Consensus", Communications of the ACM 24(6), 1981, section II.
// T.-H. Cho, "Efficient CUDA Implementation of Multiple Planes Fitting Using RANSAC", Journal of the Korea Institute of
// Information and Communication Engineering 23(4), 2019, section II.1: "the multi-plane paper".
#pragma once

#include "gpu/core/philox.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum::plane_math {

/// Plane through three points; z_threshold is negative where they are degenerate: twice the area of their triangle in
/// the xy plane is below min_area, or a coefficient leaves the range of a float.
DATUM_HD Hypothesis through(const Point& p, const Point& q, const Point& s, double min_area, float threshold,
                            bool perpendicular) {
  const double ux = double(q.x) - p.x, uy = double(q.y) - p.y, uz = double(q.z) - p.z;
  const double vx = double(s.x) - p.x, vy = double(s.y) - p.y, vz = double(s.z) - p.z;
  const double area = ux * vy - uy * vx;
  const double inverse = 1 / area;
  const double a = (uz * vy - uy * vz) * inverse, b = (ux * vz - uz * vx) * inverse;
  const double c = p.z - (a * p.x + b * p.y);
  const double z_threshold = threshold * slope_factor(a, b, perpendicular);
  if (!(::fabs(area) >= min_area) || !(z_threshold < 1e30) || !(::fabs(c) < 1e30))
    return Hypothesis{0, 0, 0, -1};
  return Hypothesis{float(a), float(b), float(c), float(z_threshold)};
}

/// min_area of through(): 2^-12 of half_x * half_y.
DATUM_HD double least_area(const FitRegion& region) {
  return double(region.half_x) * region.half_y * 0.000244140625;  // 2^-12
}

/// Hypothesis number `index` through three distinct points of the pool, pool_size >= 3. It depends on no other
/// hypothesis, so any number of them can be generated before one is counted.
template <class Pool>
DATUM_HD Hypothesis hypothesis_of(std::uint32_t index, std::uint64_t seed, const Pool& pool,
                                  std::uint32_t pool_size, float threshold, const FitRegion& region) {
  const Triple t = sample_three(philox(PhiloxBlock{{index, 0, 0, 0}}, seed), pool_size);
  return through(pool[t.index[0]], pool[t.index[1]], pool[t.index[2]], least_area(region), threshold,
                 region.perpendicular);
}

/// Number of hypotheses by equation 2 of the multi-plane paper (section II.1): the least N <= limit with
/// (1 - w^3)^N <= 1 - p, w = inliers / points. A product in place of logarithms gives every backend the same bits.
DATUM_HD int hypotheses_needed(std::int64_t inliers, std::uint32_t points, double p, int limit) {
  const double w = inliers > 0 ? double(inliers) / points : 0;
  const double miss_one = 1 - w * w * w;
  double miss_all = miss_one;
  int n = 1;
  while (n < limit && !(miss_all <= 1 - p)) {
    miss_all *= miss_one;
    ++n;
  }
  return n;
}

/// Inliers to subtract from a count before N is computed, if the `points` are a sample of more. The inlier ratio of a
/// sample lies below its lower 99 % confidence bound, 2.33 sqrt(0.25 / points) under the measured ratio, in 1 of 100
/// cases (normal approximation, worst case w = 1/2). The points of a quad are correlated, so that quads may need twice
/// that margin; gpu/README.md gives the measured effect.
DATUM_HD std::int64_t count_margin(std::uint32_t points, bool of_more) {
  return of_more ? static_cast<std::int64_t>(::ceil(2.33 * ::sqrt(0.25 * points))) : 0;
}

}  // namespace datum::plane_math
