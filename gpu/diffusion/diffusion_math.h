// What passes a face, written once for every lane type and for CUDA. C++17, explicit fma, no contraction.
//
// exp(-(d / kappa)^2) = 2^(-32 s^2) with s = sqrt(log2(e) / 32) |d| / kappa. s is cut off at 1: a difference below 2^31 times
// 2^-32 is truncated to 0. -32 s^2 = n + f with n an integer and |f| <= 1/2; 2^f is a polynomial of degree 5 (relative
// error 4.9e-7) whose coefficients hold lambda; n is added to the exponent's bits.
#pragma once

#include <algorithm>
#include <cmath>

#include "gpu/core/portable.h"
#include "gpu/diffusion/diffusion.h"

namespace datum::diffusion {

/// Powers of f/32, coefficients of 2^f (minimax on [-1/2, 1/2]; errors: gpu/DESIGN.md, "Exponentials").
constexpr double exp2_coefficients[6] = {1.0,          0.693142831,   0.240223512,
                                         0.0555740036, 0.00966628268, 0.00111255073};
constexpr double root_log2e_32 = 0.21233045007200477;  // sqrt(log2(e) / 32)
constexpr float rounder = 393216.f;                    // 1.5 * 2^18: a float near it counts 1/32

/// What does not change in an iteration.
struct Flux {
  float per_kappa = 0;  // exponential: root_log2e_32 / kappa, rational: 1 / kappa
  float lambda = 0;
  float c[6] = {};  // lambda * exp2_coefficients[k] * 32^k
};

/// Below its limit by more than all roundings of a flux, 1e-6: no sum of fluxes passes the neighbours' range.
inline float lambda_of(double lambda, int axes) {
  return static_cast<float>(std::min(lambda, (1 - 0x1p-20) / (2 * axes)));
}

/// 1 / kappa in the unit that the conduction wants; for kappa = 0 large enough for any difference to be cut off.
DATUM_HD float per_kappa(Conduction conduction, double kappa) {
  const double v = (conduction == Conduction::exponential ? root_log2e_32 : 1.0) / kappa;
  return v < 1e30 ? static_cast<float>(v) : 1e30f;
}

inline Flux flux_settings(double lambda, int axes) {
  Flux f;
  f.lambda = lambda_of(lambda, axes);
  double scale = static_cast<double>(f.lambda);
  for (int k = 0; k < 6; ++k, scale *= 32) f.c[k] = static_cast<float>(exp2_coefficients[k] * scale);
  return f;
}

/// The same in every lane.
template <class S>
struct FluxLanes {
  typename S::F per_kappa, lambda, c[6], rounder, one;
  DATUM_HD FluxLanes of(const Flux& f) {
    FluxLanes l;
    l.per_kappa = S::set(f.per_kappa);
    l.lambda = S::set(f.lambda);
    for (int k = 0; k < 6; ++k) l.c[k] = S::set(f.c[k]);
    l.rounder = S::set(diffusion::rounder);
    l.one = S::set(1.f);
    return l;
  }
};

/// lambda g(|d|) d, truncated. S: a type of gpu/core/simd_*.h with the members of diffusion's own lanes.
template <class S>
DATUM_HD typename S::I exponential_flux(typename S::I d, const FluxLanes<S>& c) {
  using F = typename S::F;
  const F v = S::to_float(d), s = S::at_most_one(v, c.per_kappa, c.one);
  const F t = S::minus_square(s, c.rounder), f = S::minus_square(s, S::sub(c.rounder, t));
  F p = S::fma(f, c.c[5], c.c[4]);
  for (int k = 3; k >= 0; --k) p = S::fma(f, p, c.c[k]);
  return S::truncated(S::mul(v, S::times_power(p, t)));
}

template <class S>
DATUM_HD typename S::I rational_flux(typename S::I d, const FluxLanes<S>& c) {
  using F = typename S::F;
  const F v = S::to_float(d), y = S::mul(v, c.per_kappa);
  return S::truncated(S::div(S::mul(v, c.lambda), S::fma(y, y, c.one)));
}

template <class S, Conduction G>
DATUM_HD typename S::I flux(typename S::I d, const FluxLanes<S>& c) {
  if (G == Conduction::exponential) return exponential_flux<S>(d, c);
  return rational_flux<S>(d, c);
}

/// Kappa from the sum of |d|, the same on host and device.
DATUM_HD double mean_gradient(std::uint64_t sum, std::uint64_t faces) {
  return faces > 0 ? static_cast<double>(sum) / static_cast<double>(faces) : 0;
}

}  // namespace datum::diffusion
