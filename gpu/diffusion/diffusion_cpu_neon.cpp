#include "gpu/core/simd_neon.h"
#include "gpu/diffusion/diffusion_cpu.h"

namespace datum::diffusion {
namespace {

struct Neon : SimdNeon {
  DATUM_HD I load_counts(const std::int32_t* p) { return vld1q_s32(p); }
  DATUM_HD void store_counts(std::int32_t* p, I v) { vst1q_s32(p, v); }
  DATUM_HD void store_first(std::int32_t* p, std::uint32_t n, I v) {
    std::int32_t lane[4];
    vst1q_s32(lane, v);
    for (std::uint32_t i = 0; i < n; ++i) p[i] = lane[i];
  }
  DATUM_HD I no_flux() { return vdupq_n_s32(0); }
  DATUM_HD I shifted(I before, I now) { return vextq_s32(before, now, 3); }
  DATUM_HD M first(std::uint32_t n) {
    const std::uint32_t lanes[4] = {0, 1, 2, 3};
    return vcltq_u32(vld1q_u32(lanes), vdupq_n_u32(n));
  }
  DATUM_HD M counts(I v) { return vmvnq_u32(vceqq_s32(v, vdupq_n_s32(INT32_MIN))); }
  DATUM_HD I keep(M m, I v) { return vandq_s32(vreinterpretq_s32_u32(m), v); }
  DATUM_HD I add(I a, I b) { return vaddq_s32(a, b); }
  DATUM_HD I sub(I a, I b) { return vsubq_s32(a, b); }
  DATUM_HD F sub(F a, F b) { return vsubq_f32(a, b); }
  DATUM_HD F mul(F a, F b) { return vmulq_f32(a, b); }
  DATUM_HD F div(F a, F b) { return vdivq_f32(a, b); }
  DATUM_HD F to_float(I v) { return vcvtq_f32_s32(v); }
  DATUM_HD I truncated(F v) { return vcvtq_s32_f32(v); }
  DATUM_HD F at_most_one(F v, F scale, F one) { return vminq_f32(abs(vmulq_f32(v, scale)), one); }
  DATUM_HD F minus_square(F s, F from) { return vfmsq_f32(from, s, s); }
  DATUM_HD F times_power(F p, F t) {
    return vreinterpretq_f32_s32(
        vaddq_s32(vreinterpretq_s32_f32(p), vshlq_n_s32(vreinterpretq_s32_f32(t), 23)));
  }
};

}  // namespace

extern const KernelTable kernels_neon;
const KernelTable kernels_neon = kernels_of<Neon>();

}  // namespace datum::diffusion
