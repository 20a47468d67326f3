// Lanes of 32 bytes. Only for files that are compiled with AVX2 and FMA or more: the unnamed namespace keeps each file's copy
// to itself.
#pragma once

#include <immintrin.h>

#include "gpu/core/portable.h"

namespace datum::fft {
namespace {

struct Avx2Float {
  using Word = float;
  using Fewer = Avx2Float;
  using F = __m256;
  static constexpr int width = 8;
  DATUM_HD F set(Word v) { return _mm256_set1_ps(v); }
  DATUM_HD F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  DATUM_HD F load(const Word* p) { return _mm256_loadu_ps(p); }
  DATUM_HD void store(Word* p, F v) { _mm256_storeu_ps(p, v); }
  DATUM_HD void load_pairs(const Word* p, F* re, F* im) {
    const F a = load(p), b = load(p + 8), low = _mm256_permute2f128_ps(a, b, 0x20),
            high = _mm256_permute2f128_ps(a, b, 0x31);
    *re = _mm256_shuffle_ps(low, high, 0x88);
    *im = _mm256_shuffle_ps(low, high, 0xDD);
  }
  DATUM_HD void store_pairs(Word* p, F re, F im) {
    const F low = _mm256_unpacklo_ps(re, im), high = _mm256_unpackhi_ps(re, im);
    store(p, _mm256_permute2f128_ps(low, high, 0x20));
    store(p + 8, _mm256_permute2f128_ps(low, high, 0x31));
  }
  DATUM_HD void transpose(F* m) {
    F t[8];
#pragma GCC unroll 2
    for (std::ptrdiff_t i = 0; i < 2; ++i) {  // 4 by 4 within the halves of a vector
      const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(m[4 * i], m[4 * i + 1]));
      const __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(m[4 * i], m[4 * i + 1]));
      const __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(m[4 * i + 2], m[4 * i + 3]));
      const __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(m[4 * i + 2], m[4 * i + 3]));
      t[4 * i] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
      t[4 * i + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
      t[4 * i + 2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
      t[4 * i + 3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {  // then the halves
      m[k] = _mm256_permute2f128_ps(t[k], t[4 + k], 0x20);
      m[4 + k] = _mm256_permute2f128_ps(t[k], t[4 + k], 0x31);
    }
  }
};

struct Avx2Double {
  using Word = double;
  using Fewer = Avx2Double;
  using F = __m256d;
  static constexpr int width = 4;
  DATUM_HD F set(Word v) { return _mm256_set1_pd(v); }
  DATUM_HD F fma(F a, F b, F c) { return _mm256_fmadd_pd(a, b, c); }
  DATUM_HD F load(const Word* p) { return _mm256_loadu_pd(p); }
  DATUM_HD void store(Word* p, F v) { _mm256_storeu_pd(p, v); }
  DATUM_HD void load_pairs(const Word* p, F* re, F* im) {
    const F a = load(p), b = load(p + 4), low = _mm256_permute2f128_pd(a, b, 0x20),
            high = _mm256_permute2f128_pd(a, b, 0x31);
    *re = _mm256_unpacklo_pd(low, high);
    *im = _mm256_unpackhi_pd(low, high);
  }
  DATUM_HD void store_pairs(Word* p, F re, F im) {
    const F low = _mm256_unpacklo_pd(re, im), high = _mm256_unpackhi_pd(re, im);
    store(p, _mm256_permute2f128_pd(low, high, 0x20));
    store(p + 4, _mm256_permute2f128_pd(low, high, 0x31));
  }
  DATUM_HD void transpose(F* m) {
    const F a = _mm256_unpacklo_pd(m[0], m[1]), b = _mm256_unpackhi_pd(m[0], m[1]);
    const F c = _mm256_unpacklo_pd(m[2], m[3]), d = _mm256_unpackhi_pd(m[2], m[3]);
    m[0] = _mm256_permute2f128_pd(a, c, 0x20);
    m[1] = _mm256_permute2f128_pd(b, d, 0x20);
    m[2] = _mm256_permute2f128_pd(a, c, 0x31);
    m[3] = _mm256_permute2f128_pd(b, d, 0x31);
  }
};

}  // namespace
}  // namespace datum::fft
