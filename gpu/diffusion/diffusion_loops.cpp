// The CPU loops, written once for every lane type and compiled once for each instruction set.
#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/diffusion/diffusion_kernels.h"
#include "gpu/diffusion/diffusion_lane.h"

namespace datum::diffusion {
namespace {

template <class S, Conduction G, bool masked>
struct Loops {
  using I = typename S::I;
  using M = typename S::M;

  DATUM_HD I passing(I u, I neighbour, M valid, const FluxLanes<S>& c) {
    const I f = flux<S, G>(S::sub(neighbour, u), c);
    return masked ? S::keep(S::both(valid, S::counts(neighbour)), f) : f;
  }

  /// Lanes from x on; `left` is what passed to x - 1 in its last lane. The last lanes of a row: `n` there are, of which
  /// all but the last have a right neighbour.
  template <bool last>
  DATUM_HD void step(const Row& row, std::uint32_t x, std::uint32_t n, I& left, const FluxLanes<S>& c) {
    const I u = S::load_counts(row.u + x);
    const M valid = masked ? S::counts(u) : M{};
    I right = passing(u, S::load_counts(row.u + x + 1), valid, c);
    if (last) right = S::keep(S::first(n - 1), right);
    const I down = passing(u, S::load_counts(row.below + x), valid, c);
    const I next = passing(u, S::load_counts(row.next + x), valid, c);
    const I fluxes =
        S::add(S::add(S::sub(right, S::shifted(left, right)), S::sub(down, S::load_counts(row.flux_y + x))),
               S::sub(next, S::load_counts(row.flux_z + x)));
    left = right;
    S::store_counts(row.flux_y + x, down);
    S::store_counts(row.flux_z + x, next);
    const I sum = S::add(u, fluxes);
    if (last) {
      S::store_first(row.u + x, n, sum);
    } else {
      S::store_counts(row.u + x, sum);
    }
  }

  static void diffuse(const Row& row, const Flux& settings) {
    const FluxLanes<S> c = FluxLanes<S>::of(settings);
    I left = S::no_flux();
    std::uint32_t x = 0;
    for (; x + S::width < row.nx; x += S::width) step<false>(row, x, S::width, left, c);
    step<true>(row, x, row.nx - x, left, c);
  }

  static void between(const std::int32_t* u, const std::int32_t* next, std::int32_t* flux_z, std::uint32_t nx,
                      const Flux& settings) {
    const FluxLanes<S> c = FluxLanes<S>::of(settings);
    for (std::uint32_t x = 0; x < nx; x += S::width) {
      const I v = S::load_counts(u + x);
      S::store_counts(flux_z + x, passing(v, S::load_counts(next + x), masked ? S::counts(v) : M{}, c));
    }
  }
};

template <class S, Conduction G>
constexpr Kernels unmasked() {
  return {Loops<S, G, false>::diffuse, Loops<S, G, false>::between};
}
template <class S, Conduction G>
constexpr Kernels with_mask() {
  return {Loops<S, G, true>::diffuse, Loops<S, G, true>::between};
}

template <class S>
constexpr KernelTable kernels_of() {
  return {{{unmasked<S, Conduction::exponential>(), with_mask<S, Conduction::exponential>()},
           {unmasked<S, Conduction::rational>(), with_mask<S, Conduction::rational>()}}};
}

#if defined(DATUM_ISA_AVX512)

struct Lane : Simd {
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

#elif defined(DATUM_ISA_AVX2)

struct Lane : Simd {
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

#elif defined(DATUM_ISA_NEON)

struct Lane : Simd {
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

#else

using Lane = ScalarLane;

#endif

}  // namespace

extern const KernelTable DATUM_OF_ISA(kernels);
const KernelTable DATUM_OF_ISA(kernels) = kernels_of<Lane>();

}  // namespace datum::diffusion
