// Inlier sums: integer moments of the inliers of a plane, and the least-squares plane that they give (DESIGN.md,
// steps 5 to 7). Written once for every backend. C++17.
//
// Integer addition is associative: any order of the points, any tile, vector or thread gives the same bits
// (gpu/DESIGN.md, "Sums").
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/core/portable.h"
#include "gpu/core/wide.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum::plane_math {

/// Sums over the inliers of 1, x, y, r and their products. r is the residual against a base plane; x, y and r are
/// rounded to 14-bit integers by the scales of that base plane.
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
// A 32-bit lane holds the sum of 16 pairs of products, a 64-bit sum that of 2^32 products.
constexpr int steps_before_widening = 16;
static_assert(2LL * steps_before_widening * quantised_max * quantised_max < (1LL << 31),
              "32-bit lane overflows");
static_assert(26 + 32 <= 62, "64-bit sum overflows");

/// Largest power of two that maps [-bound, bound] into the quantised range, 0 < bound < 2^100. A power of two scales
/// exactly, and the same plane in units 2^k times as large gives the same integers.
DATUM_HD float quantising_scale(float bound, int most = quantised_max) {
  return float_of(bits_of(float(most) / bound) & 0x7F800000u);
}

/// Plane z = a x + b y + c that the residuals of one pass over all points refer to. Points with |r| < always_inlier
/// (the always-inlier margin) are inliers of every refit until the next pass; those with always_inlier <= |r| <=
/// possible_inlier are boundary candidates; the others are outliers of every such refit.
struct Base {
  float a, b, c;
  float always_inlier, possible_inlier;
  float scale_x, scale_y, scale_r;  // quantising_scale() of the region and of possible_inlier
};

/// n * S_uv - S_u * S_v: computed exactly, rounded once.
DATUM_HD double central(std::int64_t n, std::int64_t uv, std::int64_t u, std::int64_t v) {
  return difference_of_products(n, uv, u, v);
}

/// n, the sums of x, y and r, and n times their central second moments, n * S_uv - S_u * S_v.
struct Central {
  double n, x, y, r, xx, xy, yy, xr, yr, rr;

  DATUM_MEMBER double det() const { return xx * yy - xy * xy; }
  /// Whether the points determine a plane: the correlation of x and y stays below 1 - 1e-6 / 2, and the variances of x
  /// and y are at least `least`, in squared quantisation steps.
  DATUM_MEMBER bool span(double least) const {
    return n >= 3 && xx >= least * n * n && yy >= least * n * n && det() > 1e-6 * (xx * yy);
  }
};

struct Solution {
  bool spans = false;      // the inliers determine a plane
  Plane change;            // least-squares plane minus base plane
  double sum_squares = 0;  // of the residuals along z against the least-squares plane
};

/// Reciprocals of the divisors of Cramer's rule: they depend on the sums alone, so that a warp divides three at a time.
struct Inverse {
  double det, n, scale_r;
};

/// Least-squares plane by Cramer's rule, for points that span() a plane.
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

/// A standard deviation of 16 quantisation steps of 14 bits: 1/256 to 1/512 of the region's half width.
constexpr double least_variance = 256;

/// Least-squares plane of the moments; spans is false where they determine none.
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
