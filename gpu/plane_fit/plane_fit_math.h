// Planes, points and residuals, written once for every backend: only + - * / sqrt fma and integers decide.
//
// S is a lane type (gpu/core/simd_scalar.h; one CUDA thread is the same lane). C++17.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"
#include "gpu/core/simd_scalar.h"

namespace datum {

/// What a plane is fitted over, and how its threshold is meant.
struct FitRegion {
  float half_x, half_y;
  bool perpendicular;
};

}  // namespace datum

namespace datum::plane_math {

struct Plane {
  double a = 0, b = 0, c = 0;  // z = a x + b y + c
};

/// A plane as the loops see it; z_threshold is the threshold along z. Negative: a sample that spans no plane, never
/// counted.
struct Hypothesis {
  float a, b, c, z_threshold;
};

struct Point {
  float x, y, z;
};

/// z - (a x + b y + c); the subtraction comes first because it is exact for z near c.
template <class S>
DATUM_HD typename S::F residual(typename S::F x, typename S::F y, typename S::F z, typename S::F minus_a,
                                typename S::F minus_b, typename S::F c) {
  return S::fma(minus_a, x, S::fma(minus_b, y, z - c));
}

/// Distance along z at which a threshold lies that is meant perpendicular to the plane.
DATUM_HD double slope_factor(double a, double b, bool perpendicular) {
  return perpendicular ? ::sqrt(1 + (a * a + b * b)) : 1.0;
}

/// NaN and infinity are no heights.
DATUM_HD bool has_height(float z) { return ::fabsf(z) <= 3.402823466e38f; }

}  // namespace datum::plane_math
