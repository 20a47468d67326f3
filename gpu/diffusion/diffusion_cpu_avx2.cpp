#include "gpu/core/simd_avx2.h"
#include "gpu/diffusion/diffusion_cpu.h"

namespace datum::diffusion {
namespace {

struct Avx2 : SimdAvx2 {
  using M = __m256i;  // all bits of a lane
  DATUM_HD M both(M a, M b) { return _mm256_and_si256(a, b); }
  DATUM_HD I load_counts(const std::int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  DATUM_HD void store_counts(std::int32_t* p, I v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  DATUM_HD void store_first(std::int32_t* p, std::uint32_t n, I v) { _mm256_maskstore_epi32(p, first(n), v); }
  DATUM_HD I no_flux() { return _mm256_setzero_si256(); }
  DATUM_HD I shifted(I before, I now) {
    return _mm256_alignr_epi8(now, _mm256_permute2x128_si256(before, now, 0x21), 12);
  }
  DATUM_HD M first(std::uint32_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  DATUM_HD M counts(I v) {
    return _mm256_xor_si256(_mm256_cmpeq_epi32(v, _mm256_set1_epi32(INT32_MIN)), _mm256_set1_epi32(-1));
  }
  DATUM_HD I keep(M m, I v) { return _mm256_and_si256(m, v); }
  DATUM_HD I add(I a, I b) { return _mm256_add_epi32(a, b); }
  DATUM_HD I sub(I a, I b) { return _mm256_sub_epi32(a, b); }
  DATUM_HD F sub(F a, F b) { return _mm256_sub_ps(a, b); }
  DATUM_HD F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  DATUM_HD F div(F a, F b) { return _mm256_div_ps(a, b); }
  DATUM_HD F to_float(I v) { return _mm256_cvtepi32_ps(v); }
  DATUM_HD I truncated(F v) { return _mm256_cvttps_epi32(v); }
  DATUM_HD F at_most_one(F v, F scale, F one) { return _mm256_min_ps(abs(_mm256_mul_ps(v, scale)), one); }
  DATUM_HD F minus_square(F s, F from) { return _mm256_fnmadd_ps(s, s, from); }
  DATUM_HD F times_power(F p, F t) {
    return _mm256_castsi256_ps(
        _mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_castps_si256(t), 23)));
  }
};

}  // namespace

extern const KernelTable kernels_avx2;
const KernelTable kernels_avx2 = kernels_of<Avx2>();

}  // namespace datum::diffusion
