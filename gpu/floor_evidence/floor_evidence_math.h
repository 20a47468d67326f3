// The arithmetic of a ring's evidence, written once for every backend: pixels to cells, steps and sums, and
// the quadratic that they make. C++17.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/core/board_plan.h"
#include "gpu/core/portable.h"
#include "gpu/floor_evidence/ring_record.h"
#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/level_math.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum::ring_math {

/// Residuals of the floor are compared in steps of sigma / 32, up to 255 of them.
constexpr double steps_per_sigma = 32;

/// Pixels of an axis in cells of 2^shift, so that a ring lies within ring_cells_max of its centre: cell =
/// (index - ref) >> shift. A pixel of most rings is a cell.
struct CellAxis {
  std::int32_t ref = 0, shift = 0;
};

/// half: bound of |x| of the ring's pixels in um.
DATUM_HD CellAxis cell_axis(const AxisToUm& axis, float half) {
  CellAxis c{axis.ref, 0};
  const double rest = axis.rest, per_index = axis.per_index;
  double most = (static_cast<double>(half) + ::fabs(rest)) / ::fabs(per_index) + 2;
  for (; most >= ring_cells_max && c.shift < 31; most /= 2) ++c.shift;
  return c;
}
DATUM_HD std::int32_t cell_of(const CellAxis& axis, std::int32_t index) {
  return (index - axis.ref) >> axis.shift;
}

/// What the loops over a ring's pixels need.
struct RingPass {
  float minus_a = 0, minus_b = 0, c = 0;  // the floor
  float threshold = 0, refit_threshold = 0;
  float steps_per_um = 0;  // of RingMoments::r: a power of two
  float per_sigma = 0;     // steps_per_sigma / sigma
  CellAxis u, v;
  level::Binning binning;
};

DATUM_HD RingPass ring_pass(const SitePlan& site, double a, double b, double c) {
  RingPass p;
  p.minus_a = static_cast<float>(-a);
  p.minus_b = static_cast<float>(-b);
  p.c = static_cast<float>(c);
  p.threshold = site.threshold;
  p.refit_threshold = site.refit_threshold;
  p.steps_per_um = plane_math::quantising_scale(site.refit_threshold);
  p.per_sigma = static_cast<float>(steps_per_sigma / site.sigma_um);
  p.u = cell_axis(site.grid.x, site.half_x);
  p.v = cell_axis(site.grid.y, site.half_y);
  p.binning = level::binning(site.threshold, site.refit_threshold);
  return p;
}

/// Along z, from the plane; NaN where there is no height.
DATUM_HD float residual(const RingPass& p, float x, float y, float z) {
  return plane_math::residual<SimdScalar>(x, y, z, p.minus_a, p.minus_b, p.c);
}

/// 1.5 * 2^23 added rounds a float below 2^22 to an integer, half to even, and leaves it in the low bits.
constexpr float round_magic = 12582912.f;
constexpr std::uint32_t round_bits = 0x4B400000;

/// Steps of an inlier's residual, within ring_steps_max.
DATUM_HD std::int32_t moment_step(const RingPass& p, float r) {
  return static_cast<std::int32_t>(bits_of(::fmaf(r, p.steps_per_um, round_magic)) - round_bits);
}

/// Steps of sigma / 32, at most 255 either way.
DATUM_HD std::int32_t noise_step(const RingPass& p, float r) {
  float s = r * p.per_sigma;
  s = s > 255.f ? 255.f : s;
  s = s < -255.f ? -255.f : s;
  return static_cast<std::int32_t>(bits_of(s + round_magic) - round_bits);
}

/// Sums over inliers of one row's piece: powers of the cell w from the piece's own origin, residual steps
/// r.
struct PieceSums {
  std::int32_t n = 0, w = 0, ww = 0, www = 0, wwww = 0, r = 0, rw = 0, rww = 0;
};

/// The same over one row, cells u from the ring's centre.
struct RowSums {
  std::int64_t u[5] = {}, r[3] = {};

  /// Adds a piece whose origin is cell u0.
  DATUM_MEMBER void add(const PieceSums& s, std::int64_t u0) {
    const std::int64_t n = s.n, a = s.w, b = s.ww, c = s.www;
    // (w + u0)^k by Horner's rule: each line is sum (w + u0)^k, of the sums in which one factor is w
    const std::int64_t a1 = a + u0 * n, b1 = b + u0 * a, c1 = c + u0 * b, d1 = s.wwww + u0 * c;
    const std::int64_t b2 = b1 + u0 * a1, c2 = c1 + u0 * b1, d2 = d1 + u0 * c1;
    const std::int64_t c3 = c2 + u0 * b2, d3 = d2 + u0 * c2;
    u[0] += n;
    u[1] += a1;
    u[2] += b2;
    u[3] += c3;
    u[4] += d3 + u0 * c3;
    const std::int64_t r1 = s.rw + u0 * s.r;
    r[0] += s.r;
    r[1] += r1;
    r[2] += (s.rww + u0 * s.rw) + u0 * r1;
  }
};

/// Adds a row at cell v.
DATUM_HD void add_row(const RowSums& s, std::int64_t v, RingMoments* m) {
  int at = 0;
  for (int degree = 0; degree <= 4; ++degree) {
    std::int64_t power = 1;
    for (int j = 0; j <= degree; ++j, power *= v) m->uv[at++] += s.u[degree - j] * power;
  }
  m->r[0] += s.r[0];
  m->r[1] += s.r[1];
  m->r[2] += s.r[0] * v;
  m->r[3] += s.r[2];
  m->r[4] += s.r[1] * v;
  m->r[5] += s.r[0] * v * v;
}

/// A quadratic through the inliers' residuals by least squares: LDL^T of the normal equations in U = u
/// to_u, V = v to_v, which lie within about -1 to 1; basis 1, U, V, UU, UV, VV.
struct Quadratic {
  bool defined = false;  // the inliers determine it
  double to_u = 0, to_v = 0;
  double coefficient[6] = {};  // in steps of RingMoments::r
  double low[15] = {};         // unit lower triangle, by rows
  double per_pivot[6] = {};    // reciprocals of the diagonal
};

/// A pivot is the share of a basis function's sum of squares that the ones before it leave. A ring of 28
/// pixels on one side of a body of 300 leaves 8e-6 for VV; what rounding leaves of a function that depends
/// on them is about 1e-15.
constexpr double least_pivot = 1e-9;

DATUM_HD Quadratic quadratic_of(const RingMoments& m, const SitePlan& site) {
  Quadratic q;
  const CellAxis u = cell_axis(site.grid.x, site.half_x), v = cell_axis(site.grid.y, site.half_y);
  const auto per_half = [](const AxisToUm& axis, int shift, float half) {
    return ::fabs(static_cast<double>(axis.per_index)) * static_cast<double>(std::int64_t{1} << shift) / half;
  };
  q.to_u = per_half(site.grid.x, u.shift, site.half_x);
  q.to_v = per_half(site.grid.y, v.shift, site.half_y);
  const int power_u[6] = {0, 1, 0, 2, 1, 0}, power_v[6] = {0, 0, 1, 0, 1, 2};
  double scale_u[5] = {1}, scale_v[5] = {1};
  for (int k = 1; k < 5; ++k) {
    scale_u[k] = scale_u[k - 1] * q.to_u;
    scale_v[k] = scale_v[k - 1] * q.to_v;
  }
  const auto normal = [&](int i, int j) {
    const int a = power_u[i] + power_u[j], b = power_v[i] + power_v[j], degree = a + b;
    const int at = degree * (degree + 1) / 2 + b;
    return static_cast<double>(m.uv[at]) * scale_u[a] * scale_v[b];
  };
  double* row_i = q.low;
  for (int i = 0; i < 6; row_i += i, ++i) {
    const double* row_j = q.low;
    double weighted[6];  // low_ij pivot_j
    double right = static_cast<double>(m.r[i]) * scale_u[power_u[i]] * scale_v[power_v[i]];
    double pivot = normal(i, i);
    const double least = least_pivot * pivot;
    for (int j = 0; j < i; row_j += j, ++j) {
      double sum = normal(i, j);
      for (int k = 0; k < j; ++k) sum -= weighted[k] * row_j[k];
      weighted[j] = sum;
      row_i[j] = sum * q.per_pivot[j];
      pivot -= sum * row_i[j];
      right -= row_i[j] * q.coefficient[j];
    }
    if (!(pivot > least)) return q;
    q.per_pivot[i] = 1 / pivot;
    q.coefficient[i] = right;
  }
  for (int i = 5; i >= 0; --i) {
    q.coefficient[i] *= q.per_pivot[i];
    for (int j = i + 1; j < 6; ++j) q.coefficient[i] -= q.low[j * (j - 1) / 2 + i] * q.coefficient[j];
  }
  q.defined = true;
  return q;
}

/// The quadratic as the loops read it: um over cells.
struct Form {
  float one = 0, u = 0, v = 0, uu = 0, uv = 0, vv = 0;
};

DATUM_HD Form form_of(const Quadratic& q, float steps_per_um) {
  const double um = 1 / static_cast<double>(steps_per_um);
  Form f;
  if (!q.defined) return f;
  f.one = static_cast<float>(q.coefficient[0] * um);
  f.u = static_cast<float>(q.coefficient[1] * um * q.to_u);
  f.v = static_cast<float>(q.coefficient[2] * um * q.to_v);
  f.uu = static_cast<float>(q.coefficient[3] * um * (q.to_u * q.to_u));
  f.uv = static_cast<float>(q.coefficient[4] * um * (q.to_u * q.to_v));
  f.vv = static_cast<float>(q.coefficient[5] * um * (q.to_v * q.to_v));
  return f;
}

/// A form along one row: height = one + u (u_ + uu u).
struct RowForm {
  float one, u, uu;
};
DATUM_HD RowForm row_form(const Form& f, std::int32_t v_cell) {
  const float v = static_cast<float>(v_cell);
  return RowForm{::fmaf(v, ::fmaf(v, f.vv, f.v), f.one), ::fmaf(v, f.uv, f.u), f.uu};
}
DATUM_HD float height_of(const RowForm& f, std::int32_t u_cell) {
  const float u = static_cast<float>(u_cell);
  return ::fmaf(u, ::fmaf(u, f.uu, f.u), f.one);
}

}  // namespace datum::ring_math
