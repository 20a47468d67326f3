// The angle of a vector, the same bits for every lane type and on a device: a polynomial of explicit fma and one IEEE
// division. C++17.
//
// atan(t) / (2 pi) = t P(t^2) for t in [0, 1]; P, of degree 7, is the minimax polynomial of the relative error (Remez's
// exchange), 1e-7, rounded to float. With the roundings of a float the angle is off by 4e-7 rad at most (core_test).
#pragma once

#include "gpu/core/quotient.h"
#include "gpu/core/simd_scalar.h"

namespace datum {

/// atan2(y, x) / (2 pi), in [-0.5, 0.5] turns, for lanes of S below 2^45. Signs are those of C's atan2, y = -0 on the
/// negative half axis included (-0.5). At most 6.5e-8 turns off for vectors longer than 2^-40; one of no length has
/// the angle 0 with y's sign.
template <class S>
DATUM_HD typename S::F atan2_turns(typename S::F y, typename S::F x) {
  using F = typename S::F;
  const F ax = S::abs(x), ay = S::abs(y), zero = S::set(0.f);
  const auto steep = S::lt(ax, ay);
  const F longer = S::max(S::max(ax, ay), S::set(0x1p-40f)), shorter = S::min(ax, ay);
  const F t = quotient(S::select(S::lt(S::set(0x1p-80f), shorter), shorter, zero), longer), s = t * t;
  F p = S::fma(S::set(-0.000746958074f), s, S::set(0.00385988993f));
  p = S::fma(p, s, S::set(-0.00946755335f));
  p = S::fma(p, s, S::set(0.0157790873f));
  p = S::fma(p, s, S::set(-0.022312697f));
  p = S::fma(p, s, S::set(0.0317828022f));
  p = S::fma(p, s, S::set(-0.0530495122f));
  p = S::fma(p, s, S::set(0.159154922f));
  F r = p * t;
  r = S::select(steep, S::set(0.25f) - r, r);
  r = S::select(S::lt(x, zero), S::set(0.5f) - r, r);
  return S::from_bits(S::bits(r) | (S::bits(y) & S::bits(S::set(-0.f))));
}

/// The same in radians: one more rounding.
template <class S>
DATUM_HD typename S::F atan2_radians(typename S::F y, typename S::F x) {
  return atan2_turns<S>(y, x) * S::set(6.28318531f);
}

}  // namespace datum
