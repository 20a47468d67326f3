// The distance of a point from a facet, written once for every backend: F is float, or lanes of floats on a CPU. Only
// + - * and comparisons, in one order. C++17.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"

namespace datum::model {

/// A facet made ready: its corner a, sides ab and ac, normal, and the normals of its sides that lie in its plane and point
/// into it, all of length 1. A point stands over the facet where it is on the inner side of all three: a test whose
/// error is some roundings of a length however thin the facet is, as barycentric coordinates' is not.
template <class F>
struct Facet {
  F a[3], ab[3], ac[3], normal[3], in_ab[3], in_bc[3], in_ca[3];
  F per_ab, per_bc, per_ac;  // 1 / squared length
};

template <class F>
DATUM_HD F dot3(const F* u, F x, F y, F z) {
  return u[0] * x + (u[1] * y + u[2] * z);
}

template <class F>
DATUM_HD F clamp01(F v) {
  const F zero = v * 0.f, one = zero + 1.f;
  const F low = v > zero ? v : zero;
  return low < one ? low : one;
}

template <class F>
DATUM_HD F square_left(F x, F y, F z, const F* side, F t) {
  const F dx = x - t * side[0], dy = y - t * side[1], dz = z - t * side[2];
  return dx * dx + (dy * dy + dz * dz);
}

/// Squared distance: from the face where the point stands over it, else from the nearest of the sides.
template <class F>
DATUM_HD F square_of(const Facet<F>& f, F px, F py, F pz) {
  const F x = px - f.a[0], y = py - f.a[1], z = pz - f.a[2];
  const F height = dot3(f.normal, x, y, z);
  const F s_ab = square_left(x, y, z, f.ab, clamp01(dot3(f.ab, x, y, z) * f.per_ab));
  const F s_ac = square_left(x, y, z, f.ac, clamp01(dot3(f.ac, x, y, z) * f.per_ac));
  const F bc[3] = {f.ac[0] - f.ab[0], f.ac[1] - f.ab[1], f.ac[2] - f.ab[2]};
  const F bx = x - f.ab[0], by = y - f.ab[1], bz = z - f.ab[2];
  const F s_bc = square_left(bx, by, bz, bc, clamp01(dot3(bc, bx, by, bz) * f.per_bc));
  const F first = s_ab < s_bc ? s_ab : s_bc;
  const F sides = first < s_ac ? first : s_ac;
  const F i_ab = dot3(f.in_ab, x, y, z), i_bc = dot3(f.in_bc, bx, by, bz), i_ca = dot3(f.in_ca, x, y, z);
  const F two = i_ab < i_bc ? i_ab : i_bc;
  const F inner = two < i_ca ? two : i_ca;
  return inner >= inner * 0.f ? height * height : sides;
}

/// Squared distance of a point from a box, never above that of anything in it but by rounding.
template <class F>
DATUM_HD F square_from_box(const F* low, const F* high, F x, F y, F z) {
  const F zero = x * 0.f;
  const F ax = low[0] - x, bx = x - high[0], ay = low[1] - y, by = y - high[1], az = low[2] - z,
          bz = z - high[2];
  const F cx = ax > bx ? ax : bx, cy = ay > by ? ay : by, cz = az > bz ? az : bz;
  const F dx = cx > zero ? cx : zero, dy = cy > zero ? cy : zero, dz = cz > zero ? cz : zero;
  return dx * dx + (dy * dy + dz * dz);
}

/// Boxes beyond this squared distance hold no facet whose computed square is `best` or less. `slack`: an absolute bound
/// of what rounding takes from a facet's distance, see slack_of.
DATUM_HD float reach_of(float best, float slack) {
  const float d = ::sqrtf(best) * 1.000001f + slack;
  return d * d;
}

/// How much a computed distance may lie below the true one. Coordinates up to `farthest`: p - a and the sides are at most
/// 2 sqrt(3) of it long; some ten operations of 2^-24 on such lengths are 2^-19 of it. Four times that.
DATUM_HD float slack_of(float farthest) { return farthest * (1.f / 131072.f); }

}  // namespace datum::model
