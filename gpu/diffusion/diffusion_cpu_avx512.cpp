#include "gpu/core/simd_avx512.h"
#include "gpu/diffusion/diffusion_cpu.h"

namespace datum::diffusion {
namespace {

struct Avx512 : SimdAvx512 {
  DATUM_HD I load_counts(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  DATUM_HD void store_counts(std::int32_t* p, I v) { _mm512_storeu_si512(p, v); }
  DATUM_HD void store_first(std::int32_t* p, std::uint32_t n, I v) {
    _mm512_mask_storeu_epi32(p, first(n), v);
  }
  DATUM_HD I no_flux() { return _mm512_setzero_si512(); }
  DATUM_HD I shifted(I before, I now) { return _mm512_alignr_epi32(now, before, 15); }
  DATUM_HD M first(std::uint32_t n) { return static_cast<M>((1u << n) - 1); }
  DATUM_HD M counts(I v) { return _mm512_cmpneq_epi32_mask(v, _mm512_set1_epi32(INT32_MIN)); }
  DATUM_HD I keep(M m, I v) { return _mm512_maskz_mov_epi32(m, v); }
  DATUM_HD I add(I a, I b) { return _mm512_add_epi32(a, b); }
  DATUM_HD I sub(I a, I b) { return _mm512_sub_epi32(a, b); }
  DATUM_HD F sub(F a, F b) { return _mm512_sub_ps(a, b); }
  DATUM_HD F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  DATUM_HD F div(F a, F b) { return _mm512_div_ps(a, b); }
  DATUM_HD F to_float(I v) { return _mm512_cvtepi32_ps(v); }
  DATUM_HD I truncated(F v) { return _mm512_cvttps_epi32(v); }
  DATUM_HD F at_most_one(F v, F scale, F one) { return _mm512_min_ps(abs(_mm512_mul_ps(v, scale)), one); }
  DATUM_HD F minus_square(F s, F from) { return _mm512_fnmadd_ps(s, s, from); }
  DATUM_HD F times_power(F p, F t) {
    return _mm512_castsi512_ps(
        _mm512_add_epi32(_mm512_castps_si512(p), _mm512_slli_epi32(_mm512_castps_si512(t), 23)));
  }
};

}  // namespace

extern const KernelTable kernels_avx512;
const KernelTable kernels_avx512 = kernels_of<Avx512>();

}  // namespace datum::diffusion
