// 8 lanes. Only for files that are compiled with AVX2 and FMA.
#pragma once

#include <immintrin.h>

#include "gpu/core/portable.h"

namespace datum {

struct SimdAvx2 {
  using F = __m256;
  using U = std::uint32_t __attribute__((vector_size(32)));
  using I = __m256i;
  using L = __m256i;
  using M = __m256;  // all bits of a lane
  static constexpr int width = 8;

  DATUM_HD F load(const float* p) { return _mm256_loadu_ps(p); }
  DATUM_HD F load(const std::uint8_t* p) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
  }
  DATUM_HD F load(const std::uint16_t* p) {
    const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(words));
  }
  DATUM_HD void store(float* p, F v) { _mm256_storeu_ps(p, v); }
  DATUM_HD F set(float v) { return _mm256_set1_ps(v); }
  DATUM_HD U bits(F v) { return reinterpret_cast<U>(v); }
  DATUM_HD F from_bits(U v) { return reinterpret_cast<F>(v); }
  DATUM_HD U lane_numbers() { return U{0, 1, 2, 3, 4, 5, 6, 7}; }
  DATUM_HD F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  DATUM_HD F abs(F v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.f), v); }
  DATUM_HD F max(F a, F b) { return _mm256_max_ps(a, b); }
  DATUM_HD F min(F a, F b) { return _mm256_min_ps(a, b); }
  DATUM_HD F sqrt(F v) { return _mm256_sqrt_ps(v); }
  DATUM_HD F select(M m, F yes, F no) { return _mm256_blendv_ps(no, yes, m); }
  DATUM_HD M le(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
  DATUM_HD M lt(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
  DATUM_HD M le(U a, U b) {
    const I u = reinterpret_cast<I>(a);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_min_epu32(u, reinterpret_cast<I>(b)), u));
  }
  DATUM_HD M none() { return _mm256_setzero_ps(); }
  DATUM_HD M either(M a, M b) { return _mm256_or_ps(a, b); }
  DATUM_HD M both(M a, M b) { return _mm256_and_ps(a, b); }
  DATUM_HD M first_only(M a, M b) { return _mm256_andnot_ps(b, a); }
  DATUM_HD bool any(M m) { return _mm256_movemask_ps(m) != 0; }
  DATUM_HD unsigned count(M m) { return static_cast<unsigned>(__builtin_popcount(_mm256_movemask_ps(m))); }
  DATUM_HD I quantise(M m, F v, F scale) {
    return _mm256_castps_si256(_mm256_and_ps(m, _mm256_fmadd_ps(v, scale, _mm256_set1_ps(12582912.f))));
  }
  DATUM_HD I pair(I low, I high) { return _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xAA); }
  DATUM_HD I set_pairs(std::int16_t v) { return _mm256_set1_epi16(v); }
  DATUM_HD I zero() { return _mm256_setzero_si256(); }
  DATUM_HD I dot(I acc, I a, I b) { return _mm256_add_epi32(acc, _mm256_madd_epi16(a, b)); }
  DATUM_HD I count(I acc, M m) { return _mm256_sub_epi32(acc, _mm256_castps_si256(m)); }
  DATUM_HD L wide_zero() { return _mm256_setzero_si256(); }
  DATUM_HD L widen(L acc, I v) {
    const I low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v));
    const I high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1));
    return _mm256_add_epi64(acc, _mm256_add_epi64(low, high));
  }
  DATUM_HD std::int64_t sum(L v) {
    return (_mm256_extract_epi64(v, 0) + _mm256_extract_epi64(v, 1)) +
           (_mm256_extract_epi64(v, 2) + _mm256_extract_epi64(v, 3));
  }
  DATUM_HD void append(float* to, M m, F v) {
    alignas(32) float lane[8];
    _mm256_store_ps(lane, v);
    for (unsigned left = static_cast<unsigned>(_mm256_movemask_ps(m)); left; left &= left - 1)
      *to++ = lane[__builtin_ctz(left)];
  }
};

}  // namespace datum
