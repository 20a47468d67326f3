#include <immintrin.h>

#include "gpu/fft/fft_cpu.h"

namespace datum::fft {
namespace {

struct Avx512Float {
  using Word = float;
  using F = __m512;
  static constexpr int width = 16;
  DATUM_HD F set(Word v) { return _mm512_set1_ps(v); }
  DATUM_HD F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  DATUM_HD F load(const Word* p) { return _mm512_loadu_ps(p); }
  DATUM_HD void store(Word* p, F v) { _mm512_storeu_ps(p, v); }
  DATUM_HD void transpose(F* m) {
    F t[16];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {  // 4 by 4 within the quarters of a vector
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
  using F = __m512d;
  static constexpr int width = 8;
  DATUM_HD F set(Word v) { return _mm512_set1_pd(v); }
  DATUM_HD F fma(F a, F b, F c) { return _mm512_fmadd_pd(a, b, c); }
  DATUM_HD F load(const Word* p) { return _mm512_loadu_pd(p); }
  DATUM_HD void store(Word* p, F v) { _mm512_storeu_pd(p, v); }
  DATUM_HD void transpose(F* m) {
    F t[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
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
