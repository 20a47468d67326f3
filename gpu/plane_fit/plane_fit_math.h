// Planes, points and residuals, written once for every backend under the numeric contract of gpu/DESIGN.md: only
// + - * / sqrt fma and integers decide. C++17.
//
// S is a lane type (gpu/core/simd_scalar.h); one CUDA thread is a scalar lane.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"
#include "gpu/core/simd_scalar.h"

namespace datum {

/// The region |x| <= half_x, |y| <= half_y that a plane is fitted over. perpendicular: Residual::perpendicular.
struct FitRegion {
  float half_x, half_y;
  bool perpendicular;
};

}  // namespace datum

namespace datum::plane_math {

struct Plane {
  double a = 0, b = 0, c = 0;  // z = a x + b y + c
};

/// A plane z = a x + b y + c in the precision of the loops, with its inlier threshold along z. A negative z_threshold
/// marks a degenerate sample, which has no inliers.
struct Hypothesis {
  float a, b, c, z_threshold;
};

struct Point {
  float x, y, z;
};

/// Residual along z, z - (a x + b y + c). z - c comes first because it is exact for z near c.
template <class S>
DATUM_HD typename S::F residual(typename S::F x, typename S::F y, typename S::F z, typename S::F minus_a,
                                typename S::F minus_b, typename S::F c) {
  return S::fma(minus_a, x, S::fma(minus_b, y, z - c));
}

/// Inlier threshold along z of a plane, in units of the threshold.
DATUM_HD double slope_factor(double a, double b, bool perpendicular) {
  return perpendicular ? ::sqrt(1 + (a * a + b * b)) : 1.0;
}

/// NaN and infinity mark points without a height.
DATUM_HD bool has_height(float z) { return ::fabsf(z) <= 3.402823466e38f; }

}  // namespace datum::plane_math
