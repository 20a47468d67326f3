// 16 lanes. Only for files that are compiled with AVX-512 F, BW, DQ, VL and FMA.
#pragma once

#include <immintrin.h>

#include "gpu/core/portable.h"

namespace datum {

struct SimdAvx512 {
  using F = __m512;
  using U = std::uint32_t __attribute__((vector_size(64)));
  using I = __m512i;
  using L = __m512i;
  using M = __mmask16;
  static constexpr int width = 16;

  DATUM_HD F load(const float* p) { return _mm512_loadu_ps(p); }
  DATUM_HD F load(const std::uint8_t* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
  }
  DATUM_HD F load(const std::uint16_t* p) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(words));
  }
  DATUM_HD void store(float* p, F v) { _mm512_storeu_ps(p, v); }
  DATUM_HD F set(float v) { return _mm512_set1_ps(v); }
  DATUM_HD U bits(F v) { return reinterpret_cast<U>(v); }
  DATUM_HD F from_bits(U v) { return reinterpret_cast<F>(v); }
  DATUM_HD U lane_numbers() { return U{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
  DATUM_HD F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  DATUM_HD F abs(F v) { return _mm512_abs_ps(v); }
  DATUM_HD F max(F a, F b) { return _mm512_max_ps(a, b); }
  DATUM_HD F min(F a, F b) { return _mm512_min_ps(a, b); }
  DATUM_HD F sqrt(F v) { return _mm512_sqrt_ps(v); }
  DATUM_HD F select(M m, F yes, F no) { return _mm512_mask_blend_ps(m, no, yes); }
  DATUM_HD M le(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
  DATUM_HD M lt(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  DATUM_HD M le(U a, U b) { return _mm512_cmple_epu32_mask(reinterpret_cast<I>(a), reinterpret_cast<I>(b)); }
  DATUM_HD M none() { return 0; }
  DATUM_HD M either(M a, M b) { return static_cast<M>(a | b); }
  DATUM_HD M both(M a, M b) { return static_cast<M>(a & b); }
  DATUM_HD M first_only(M a, M b) { return static_cast<M>(a & ~b); }
  DATUM_HD bool any(M m) { return m != 0; }
  DATUM_HD unsigned count(M m) { return static_cast<unsigned>(__builtin_popcount(m)); }
  DATUM_HD I quantise(M m, F v, F scale) {
    return _mm512_castps_si512(_mm512_maskz_fmadd_ps(m, v, scale, _mm512_set1_ps(12582912.f)));
  }
  DATUM_HD I pair(I low, I high) {
    return _mm512_mask_blend_epi16(0xAAAAAAAAu, low, _mm512_slli_epi32(high, 16));
  }
  DATUM_HD I set_pairs(std::int16_t v) { return _mm512_set1_epi16(v); }
  DATUM_HD I zero() { return _mm512_setzero_si512(); }
  DATUM_HD I dot(I acc, I a, I b) { return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b)); }
  DATUM_HD I count(I acc, M m) { return _mm512_mask_sub_epi32(acc, m, acc, _mm512_set1_epi32(-1)); }
  DATUM_HD L wide_zero() { return _mm512_setzero_si512(); }
  DATUM_HD L widen(L acc, I v) {
    const I even = _mm512_srai_epi64(_mm512_slli_epi64(v, 32), 32), odd = _mm512_srai_epi64(v, 32);
    return _mm512_add_epi64(acc, _mm512_add_epi64(even, odd));
  }
  DATUM_HD std::int64_t sum(L v) { return _mm512_reduce_add_epi64(v); }
  DATUM_HD void append(float* to, M m, F v) { _mm512_storeu_ps(to, _mm512_maskz_compress_ps(m, v)); }
};

}  // namespace datum
