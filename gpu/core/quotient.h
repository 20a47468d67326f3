// IEEE quotients and square roots without the branches that a device spends on operands near the ends of float. C++17.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"

namespace datum {

/// a / b, rounded to nearest, for 2^-40 <= |b| < 2^45 and a = 0 or 2^-80 <= |a| <= 2^60; for others, whatever: choose
/// between it and something else. On a device the steps are those that its compiler takes behind the branch: the
/// reciprocal, good to one unit, is refined once; the quotient twice by its remainder, which fma gives exactly since
/// 2^-80 2^-46 is far above the smallest float.
DATUM_HD float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  r = ::fmaf(r, ::fmaf(-b, r, 1.f), r);
  float q = a * r;
  q = ::fmaf(::fmaf(-b, q, a), r, q);
  return ::fmaf(::fmaf(-b, q, a), r, q);
#else
  return a / b;
#endif
}

/// Lanes of a CPU.
template <class F>
DATUM_HD F quotient(F a, F b) {
  return a / b;
}

/// The square root, rounded to nearest, for 2^-100 <= v < 2^100; as above, of the reciprocal square root.
DATUM_HD float square_root(float v) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  const float root = v * r;
  return ::fmaf(::fmaf(-root, root, v), 0.5f * r, root);
#else
  return ::sqrtf(v);
#endif
}

}  // namespace datum
