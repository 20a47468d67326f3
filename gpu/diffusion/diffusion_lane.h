// One lane of diffusion: what every vector type must equal.
#pragma once

#include "gpu/core/simd_scalar.h"

namespace datum::diffusion {

struct ScalarLane : SimdScalar {
  DATUM_HD I load_counts(const std::int32_t* p) { return *p; }
  DATUM_HD void store_counts(std::int32_t* p, I v) { *p = v; }
  DATUM_HD void store_first(std::int32_t* p, std::uint32_t, I v) { *p = v; }
  DATUM_HD I no_flux() { return 0; }
  DATUM_HD I shifted(I before, I) { return before; }  // one lane up
  DATUM_HD M first(std::uint32_t n) { return n > 0; }
  DATUM_HD M counts(I v) { return v != INT32_MIN; }
  DATUM_HD I keep(M m, I v) { return m ? v : 0; }
  DATUM_HD I add(I a, I b) { return static_cast<I>(static_cast<U>(a) + static_cast<U>(b)); }
  DATUM_HD I sub(I a, I b) { return static_cast<I>(static_cast<U>(a) - static_cast<U>(b)); }
  DATUM_HD F sub(F a, F b) { return a - b; }
  DATUM_HD F mul(F a, F b) { return a * b; }
  DATUM_HD F div(F a, F b) { return a / b; }
  DATUM_HD F to_float(I v) { return static_cast<F>(v); }
  DATUM_HD I truncated(F v) { return static_cast<I>(v); }  // |v| < 2^31
  DATUM_HD F at_most_one(F v, F scale, F one) { return ::fabsf(v * scale) < one ? ::fabsf(v * scale) : one; }
  DATUM_HD F minus_square(F s, F from) { return ::fmaf(-s, s, from); }
  /// p 2^n, n in the low bits of t: exponential_flux.
  DATUM_HD F times_power(F p, F t) { return from_bits(bits(p) + (bits(t) << 23)); }
};

}  // namespace datum::diffusion
