// Integer sums over the inliers of a plane, and the least-squares plane that they give: for every backend. C++17.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/core/portable.h"
#include "gpu/core/wide.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum::plane_math {

/// Integer sums over inliers of x, y and the residual r against a base plane, each rounded to 14-bit
/// integers.
struct Moments {
  std::int64_t n = 0, x = 0, y = 0, r = 0, xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, rr = 0;
};

DATUM_HD Moments operator+(const Moments& p, const Moments& q) {
  return Moments{p.n + q.n,   p.x + q.x,   p.y + q.y,   p.r + q.r,   p.xx + q.xx,
                 p.xy + q.xy, p.yy + q.yy, p.xr + q.xr, p.yr + q.yr, p.rr + q.rr};
}

DATUM_HD bool operator==(const Moments& p, const Moments& q) {
  return p.n == q.n && p.x == q.x && p.y == q.y && p.r == q.r && p.xx == q.xx && p.xy == q.xy &&
         p.yy == q.yy && p.xr == q.xr && p.yr == q.yr && p.rr == q.rr;
}

constexpr int quantised_max = 8191;
// 16 pairs of products fit a 32-bit lane, and 2^32 products a 64-bit sum.
constexpr int steps_before_widening = 16;
static_assert(2LL * steps_before_widening * quantised_max * quantised_max < (1LL << 31),
              "32-bit lane overflows");
static_assert(26 + 32 <= 62, "64-bit sum overflows");

/// Largest power of two that takes [-bound, bound] into the quantised range: scaling is exact, and a plane in
/// other units by a power of two has the same integers. 0 < bound < 2^100.
DATUM_HD float quantising_scale(float bound, int most = quantised_max) {
  return float_of(bits_of(float(most) / bound) & 0x7F800000u);
}

/// Base plane of a pass over all points. |r| < always_inlier: inside whatever refit follows; up to possible_inlier: on the boundary
/// list.
struct Base {
  float a, b, c;
  float always_inlier, possible_inlier;
  float scale_x, scale_y, scale_r;
};

/// Central sums of products n * S_uv - S_u * S_v, exact, rounded once.
DATUM_HD double central(std::int64_t n, std::int64_t uv, std::int64_t u, std::int64_t v) {
  return difference_of_products(n, uv, u, v);
}

/// Sums of points, and central sums of their products: n * S_uv - S_u * S_v.
struct Central {
  double n, x, y, r, xx, xy, yy, xr, yr, rr;

  DATUM_MEMBER double det() const { return xx * yy - xy * xy; }
  /// The points span a plane: the correlation of x and y stays below 1 - 1e-6 / 2, and both have at least the variance
  /// `least`, in squared steps of the quantisation.
  DATUM_MEMBER bool span(double least) const {
    return n >= 3 && xx >= least * n * n && yy >= least * n * n && det() > 1e-6 * (xx * yy);
  }
};

struct Solution {
  bool spans = false;      // the inliers span a plane
  Plane change;            // least-squares plane minus the base plane
  double sum_squares = 0;  // of the vertical residuals of the least-squares plane
};

/// What Cramer's rule divides by: three divisions that wait for nothing but the sums.
struct Inverse {
  double det, n, scale_r;
};

/// Least squares by Cramer's rule of points that span a plane.
DATUM_HD Solution solution_of(const Central& m, const Inverse& per, const Base& base) {
  const double a = (m.xr * m.yy - m.yr * m.xy) * per.det, b = (m.yr * m.xx - m.xr * m.xy) * per.det;
  const double c = (m.r - (a * m.x + b * m.y)) * per.n;
  Solution s;
  s.spans = true;
  s.change = Plane{a * base.scale_x * per.scale_r, b * base.scale_y * per.scale_r, c * per.scale_r};
  const double squares = (m.rr - (a * m.xr + b * m.yr)) * per.n * (per.scale_r * per.scale_r);
  s.sum_squares = squares > 0 ? squares : 0;
  return s;
}

/// Both spread by at least 16 steps of 14 bits (1/256 to 1/512 of the region's half width).
constexpr double least_variance = 256;

DATUM_HD Solution solve(const Moments& m, const Base& base, double least = least_variance) {
  const Central sums{double(m.n),
                     double(m.x),
                     double(m.y),
                     double(m.r),
                     central(m.n, m.xx, m.x, m.x),
                     central(m.n, m.xy, m.x, m.y),
                     central(m.n, m.yy, m.y, m.y),
                     central(m.n, m.xr, m.x, m.r),
                     central(m.n, m.yr, m.y, m.r),
                     central(m.n, m.rr, m.r, m.r)};
  if (!sums.span(least)) return Solution{};
  return solution_of(sums, Inverse{1 / sums.det(), 1 / sums.n, 1 / double(base.scale_r)}, base);
}

}  // namespace datum::plane_math
