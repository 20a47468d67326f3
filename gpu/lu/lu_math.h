// The arithmetic of the LU factorisation, for hosts and devices. C++17.
//
// Every element takes its updates in ascending k, each a single fma: a_ij = fma(-l_ik, u_kj, a_ij). However a backend
// cuts the matrix into blocks, the bits are those of the three plain loops.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "gpu/core/portable.h"

namespace datum::lu {

DATUM_HD float fused(float a, float b, float c) { return ::fmaf(a, b, c); }
DATUM_HD double fused(double a, double b, double c) { return ::fma(a, b, c); }

/// |v| as an integer of the same order: infinities and then NaN above all numbers.
DATUM_HD std::uint32_t magnitude(float v) { return bits_of(v) & 0x7FFFFFFFu; }
DATUM_HD std::uint64_t magnitude(double v) {
  std::uint64_t b;  // NOLINT(cppcoreguidelines-init-variables): written next
  std::memcpy(&b, &v, sizeof b);
  return b & 0x7FFFFFFFFFFFFFFFull;
}

DATUM_HD bool is_finite(std::uint32_t magnitude) { return magnitude < 0x7F800000u; }
DATUM_HD bool is_finite(std::uint64_t magnitude) { return magnitude < 0x7FF0000000000000ull; }

/// Whether neither the pivot nor 1 / pivot is subnormal: from 2^-126 to below 2^126, of doubles 2^-1022 and 2^1022.
DATUM_HD bool has_reciprocal(std::uint32_t pivot) { return pivot >= 0x00800000u && pivot < 0x7E800000u; }
DATUM_HD bool has_reciprocal(std::uint64_t pivot) {
  return pivot >= 0x0010000000000000ull && pivot < 0x7FD0000000000000ull;
}

/// l = a * (1 / pivot), as LAPACK's getf2: one division in a column, l within 1.5 units in the last place and never
/// beyond 1. Where the reciprocal is subnormal or overflows l = a / pivot; where the pivot is 0 so is a.
template <class T>
DATUM_HD T multiplier(T a, T pivot, T reciprocal) {
  const auto m = magnitude(pivot);
  if (has_reciprocal(m)) return a * reciprocal;
  return m == 0 ? a : a / pivot;
}

}  // namespace datum::lu
