#include <arm_neon.h>

#include "gpu/fft/fft_cpu.h"

namespace datum::fft {
namespace {

struct NeonFloat {
  using Word = float;
  using Fewer = NeonFloat;
  using F = float32x4_t;
  static constexpr int width = 4;
  DATUM_HD F set(Word v) { return vdupq_n_f32(v); }
  DATUM_HD F fma(F a, F b, F c) { return vfmaq_f32(c, a, b); }
  DATUM_HD F load(const Word* p) { return vld1q_f32(p); }
  DATUM_HD void store(Word* p, F v) { vst1q_f32(p, v); }
  DATUM_HD void load_pairs(const Word* p, F* re, F* im) {
    const float32x4x2_t both = vld2q_f32(p);
    *re = both.val[0];
    *im = both.val[1];
  }
  DATUM_HD void store_pairs(Word* p, F re, F im) { vst2q_f32(p, float32x4x2_t{{re, im}}); }
  DATUM_HD void transpose(F* m) {
    const float64x2_t a = vreinterpretq_f64_f32(vtrn1q_f32(m[0], m[1])),
                      b = vreinterpretq_f64_f32(vtrn2q_f32(m[0], m[1]));
    const float64x2_t c = vreinterpretq_f64_f32(vtrn1q_f32(m[2], m[3])),
                      d = vreinterpretq_f64_f32(vtrn2q_f32(m[2], m[3]));
    m[0] = vreinterpretq_f32_f64(vtrn1q_f64(a, c));
    m[1] = vreinterpretq_f32_f64(vtrn1q_f64(b, d));
    m[2] = vreinterpretq_f32_f64(vtrn2q_f64(a, c));
    m[3] = vreinterpretq_f32_f64(vtrn2q_f64(b, d));
  }
};

struct NeonDouble {
  using Word = double;
  using Fewer = NeonDouble;
  using F = float64x2_t;
  static constexpr int width = 2;
  DATUM_HD F set(Word v) { return vdupq_n_f64(v); }
  DATUM_HD F fma(F a, F b, F c) { return vfmaq_f64(c, a, b); }
  DATUM_HD F load(const Word* p) { return vld1q_f64(p); }
  DATUM_HD void store(Word* p, F v) { vst1q_f64(p, v); }
  DATUM_HD void load_pairs(const Word* p, F* re, F* im) {
    const float64x2x2_t both = vld2q_f64(p);
    *re = both.val[0];
    *im = both.val[1];
  }
  DATUM_HD void store_pairs(Word* p, F re, F im) { vst2q_f64(p, float64x2x2_t{{re, im}}); }
  DATUM_HD void transpose(F* m) {
    const F a = vtrn1q_f64(m[0], m[1]), b = vtrn2q_f64(m[0], m[1]);
    m[0] = a;
    m[1] = b;
  }
};

}  // namespace

extern const Kernels<float> float_neon;
extern const Kernels<double> double_neon;
const Kernels<float> float_neon = Lanes<NeonFloat>::kernels();
const Kernels<double> double_neon = Lanes<NeonDouble>::kernels();

}  // namespace datum::fft
