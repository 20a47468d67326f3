// One lane: the reference that every vector type below must equal, and what a CUDA thread computes.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"

namespace datum {

struct SimdScalar {
  using F = float;          // numbers
  using U = std::uint32_t;  // their bits
  using I = std::int32_t;   // two 16-bit integers, or one 32-bit sum
  using L = std::int64_t;   // 64-bit sums
  using M = bool;           // which lanes
  static constexpr int width = 1;

  DATUM_HD F load(const float* p) { return *p; }
  DATUM_HD F load(const std::uint8_t* p) { return static_cast<float>(*p); }
  DATUM_HD F load(const std::uint16_t* p) { return static_cast<float>(*p); }
  DATUM_HD void store(float* p, F v) { *p = v; }
  DATUM_HD F set(float v) { return v; }
  DATUM_HD U bits(F v) { return bits_of(v); }
  DATUM_HD F from_bits(U v) { return float_of(v); }
  DATUM_HD U lane_numbers() { return 0; }
  DATUM_HD F fma(F a, F b, F c) { return ::fmaf(a, b, c); }
  DATUM_HD F abs(F v) { return ::fabsf(v); }
  /// Not for numbers that are not; of zeros either.
  DATUM_HD F max(F a, F b) { return ::fmaxf(a, b); }
  DATUM_HD F min(F a, F b) { return ::fminf(a, b); }
  DATUM_HD F sqrt(F v) { return ::sqrtf(v); }
  DATUM_HD F select(M m, F yes, F no) { return m ? yes : no; }
  DATUM_HD M le(F a, F b) { return a <= b; }
  DATUM_HD M lt(F a, F b) { return a < b; }
  DATUM_HD M le(U a, U b) { return a <= b; }
  DATUM_HD M none() { return false; }
  DATUM_HD M either(M a, M b) { return a || b; }
  DATUM_HD M both(M a, M b) { return a && b; }
  DATUM_HD M first_only(M a, M b) { return a && !b; }
  DATUM_HD bool any(M m) { return m; }
  DATUM_HD unsigned count(M m) { return m; }
  /// Low 16 bits of fma(v, scale, 1.5 * 2^23) are round(v * scale); 0 outside the mask.
  DATUM_HD I quantise(M m, F v, F scale) {
    return m ? static_cast<I>(bits_of(fmaf(v, scale, 12582912.f))) : 0;
  }
  /// Two vectors of 16-bit integers (low halves) as one vector of pairs.
  DATUM_HD I pair(I low, I high) {
    return static_cast<I>((static_cast<U>(low) & 0xFFFFu) | (static_cast<U>(high) << 16));
  }
  DATUM_HD I set_pairs(std::int16_t v) { return pair(v, v); }
  DATUM_HD I zero() { return 0; }
  /// acc + a.low * b.low + a.high * b.high; wraps, as vectors do: of points out of bounds sums may overflow.
  DATUM_HD I dot(I acc, I a, I b) {
    return static_cast<I>(static_cast<U>(acc) +
                          static_cast<U>(static_cast<std::int16_t>(a) * static_cast<std::int16_t>(b)) +
                          static_cast<U>((a >> 16) * (b >> 16)));
  }
  DATUM_HD I count(I acc, M m) { return acc + m; }
  DATUM_HD L wide_zero() { return 0; }
  DATUM_HD L widen(L acc, I v) { return acc + v; }
  DATUM_HD std::int64_t sum(L v) { return v; }
  /// Writes the lanes of the mask one after the other; may write `width` floats.
  DATUM_HD void append(float* to, M, F v) { *to = v; }
};

}  // namespace datum
