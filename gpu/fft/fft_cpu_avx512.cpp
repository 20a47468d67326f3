#include <immintrin.h>

#include "gpu/fft/fft_avx2_lanes.h"
#include "gpu/fft/fft_cpu.h"

namespace datum::fft {
namespace {

struct Avx512Float {
  using Word = float;
  using Fewer = Avx2Float;
  using F = __m512;
  static constexpr int width = 16;
  DATUM_HD F set(Word v) { return _mm512_set1_ps(v); }
  DATUM_HD F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  DATUM_HD F load(const Word* p) { return _mm512_loadu_ps(p); }
  DATUM_HD void store(Word* p, F v) { _mm512_storeu_ps(p, v); }
  DATUM_HD void load_pairs(const Word* p, F* re, F* im) {
    const F a = load(p), b = load(p + 16);
    *re = _mm512_permutex2var_ps(a, even(), b);
    *im = _mm512_permutex2var_ps(a, _mm512_add_epi32(even(), _mm512_set1_epi32(1)), b);
  }
  DATUM_HD void store_pairs(Word* p, F re, F im) {
    store(p, _mm512_permutex2var_ps(re, side_by_side(), im));
    store(p + 16, _mm512_permutex2var_ps(re, _mm512_add_epi32(side_by_side(), _mm512_set1_epi32(8)), im));
  }
  DATUM_HD __m512i even() {
    return _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  }
  DATUM_HD __m512i side_by_side() {
    return _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  DATUM_HD void transpose(F* m) {
    F t[16];
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < 4; ++i) {  // 4 by 4 within the quarters of a vector
      const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(m[4 * i], m[4 * i + 1]));
      const __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(m[4 * i], m[4 * i + 1]));
      const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(m[4 * i + 2], m[4 * i + 3]));
      const __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(m[4 * i + 2], m[4 * i + 3]));
      t[4 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
      t[4 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
      t[4 * i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
      t[4 * i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {  // then the quarters
      const F a = _mm512_shuffle_f32x4(t[k], t[4 + k], 0x44),
              b = _mm512_shuffle_f32x4(t[8 + k], t[12 + k], 0x44);
      const F c = _mm512_shuffle_f32x4(t[k], t[4 + k], 0xEE),
              d = _mm512_shuffle_f32x4(t[8 + k], t[12 + k], 0xEE);
      m[k] = _mm512_shuffle_f32x4(a, b, 0x88);
      m[4 + k] = _mm512_shuffle_f32x4(a, b, 0xDD);
      m[8 + k] = _mm512_shuffle_f32x4(c, d, 0x88);
      m[12 + k] = _mm512_shuffle_f32x4(c, d, 0xDD);
    }
  }
};

struct Avx512Double {
  using Word = double;
  using Fewer = Avx2Double;
  using F = __m512d;
  static constexpr int width = 8;
  DATUM_HD F set(Word v) { return _mm512_set1_pd(v); }
  DATUM_HD F fma(F a, F b, F c) { return _mm512_fmadd_pd(a, b, c); }
  DATUM_HD F load(const Word* p) { return _mm512_loadu_pd(p); }
  DATUM_HD void store(Word* p, F v) { _mm512_storeu_pd(p, v); }
  DATUM_HD void load_pairs(const Word* p, F* re, F* im) {
    const F a = load(p), b = load(p + 8);
    *re = _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
    *im = _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
  }
  DATUM_HD void store_pairs(Word* p, F re, F im) {
    store(p, _mm512_permutex2var_pd(re, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), im));
    store(p + 8, _mm512_permutex2var_pd(re, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), im));
  }
  DATUM_HD void transpose(F* m) {
    F t[8];
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < 4; ++i) {
      t[2 * i] = _mm512_unpacklo_pd(m[2 * i], m[2 * i + 1]);
      t[2 * i + 1] = _mm512_unpackhi_pd(m[2 * i], m[2 * i + 1]);
    }
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const F a = _mm512_shuffle_f64x2(t[k], t[2 + k], 0x44),
              b = _mm512_shuffle_f64x2(t[4 + k], t[6 + k], 0x44);
      const F c = _mm512_shuffle_f64x2(t[k], t[2 + k], 0xEE),
              d = _mm512_shuffle_f64x2(t[4 + k], t[6 + k], 0xEE);
      m[k] = _mm512_shuffle_f64x2(a, b, 0x88);
      m[2 + k] = _mm512_shuffle_f64x2(a, b, 0xDD);
      m[4 + k] = _mm512_shuffle_f64x2(c, d, 0x88);
      m[6 + k] = _mm512_shuffle_f64x2(c, d, 0xDD);
    }
  }
};

}  // namespace

extern const Kernels<float> float_avx512;
extern const Kernels<double> double_avx512;
const Kernels<float> float_avx512 = Lanes<Avx512Float>::kernels();
const Kernels<double> double_avx512 = Lanes<Avx512Double>::kernels();

}  // namespace datum::fft
