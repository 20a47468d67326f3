// 4 lanes, 64-bit Arm.
#pragma once

#include <arm_neon.h>

#include "gpu/core/portable.h"

namespace datum {

struct SimdNeon {
  using F = float32x4_t;
  using U = uint32x4_t;
  using I = int32x4_t;
  using L = int64x2_t;
  using M = uint32x4_t;  // all bits of a lane
  static constexpr int width = 4;

  DATUM_HD F load(const float* p) { return vld1q_f32(p); }
  DATUM_HD F load(const std::uint8_t* p) {
    std::uint32_t four;
    std::memcpy(&four, p, sizeof four);
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four)))));
  }
  DATUM_HD F load(const std::uint16_t* p) { return vcvtq_f32_u32(vmovl_u16(vld1_u16(p))); }
  DATUM_HD void store(float* p, F v) { vst1q_f32(p, v); }
  DATUM_HD F set(float v) { return vdupq_n_f32(v); }
  DATUM_HD U bits(F v) { return vreinterpretq_u32_f32(v); }
  DATUM_HD F from_bits(U v) { return vreinterpretq_f32_u32(v); }
  DATUM_HD U lane_numbers() { return U{0, 1, 2, 3}; }
  DATUM_HD F fma(F a, F b, F c) { return vfmaq_f32(c, a, b); }
  DATUM_HD F abs(F v) { return vabsq_f32(v); }
  DATUM_HD F max(F a, F b) { return vmaxq_f32(a, b); }
  DATUM_HD F min(F a, F b) { return vminq_f32(a, b); }
  DATUM_HD F sqrt(F v) { return vsqrtq_f32(v); }
  DATUM_HD F select(M m, F yes, F no) { return vbslq_f32(m, yes, no); }
  DATUM_HD M le(F a, F b) { return vcleq_f32(a, b); }
  DATUM_HD M lt(F a, F b) { return vcltq_f32(a, b); }
  DATUM_HD M le(U a, U b) { return vcleq_u32(a, b); }
  DATUM_HD M none() { return vdupq_n_u32(0); }
  DATUM_HD M either(M a, M b) { return vorrq_u32(a, b); }
  DATUM_HD M both(M a, M b) { return vandq_u32(a, b); }
  DATUM_HD M first_only(M a, M b) { return vbicq_u32(a, b); }
  DATUM_HD bool any(M m) { return vmaxvq_u32(m) != 0; }
  DATUM_HD unsigned count(M m) { return vaddvq_u32(vshrq_n_u32(m, 31)); }
  DATUM_HD I quantise(M m, F v, F scale) {
    return vreinterpretq_s32_u32(
        vandq_u32(m, vreinterpretq_u32_f32(vfmaq_f32(vdupq_n_f32(12582912.f), v, scale))));
  }
  DATUM_HD I pair(I low, I high) { return vsliq_n_s32(low, high, 16); }
  DATUM_HD I set_pairs(std::int16_t v) { return vreinterpretq_s32_s16(vdupq_n_s16(v)); }
  DATUM_HD I zero() { return vdupq_n_s32(0); }
  DATUM_HD I dot(I acc, I a, I b) {
    const int16x8_t p = vreinterpretq_s16_s32(a), q = vreinterpretq_s16_s32(b);
    return vmlal_high_s16(vmlal_s16(acc, vget_low_s16(p), vget_low_s16(q)), p, q);
  }
  DATUM_HD I count(I acc, M m) { return vsubq_s32(acc, vreinterpretq_s32_u32(m)); }
  DATUM_HD L wide_zero() { return vdupq_n_s64(0); }
  DATUM_HD L widen(L acc, I v) { return vpadalq_s32(acc, v); }
  DATUM_HD std::int64_t sum(L v) { return vaddvq_s64(v); }
  DATUM_HD void append(float* to, M m, F v) {
    float lane[4];
    std::uint32_t chosen[4];
    vst1q_f32(lane, v);
    vst1q_u32(chosen, m);
    for (int i = 0; i < 4; ++i)
      if (chosen[i]) *to++ = lane[i];
  }
};

}  // namespace datum
