// Compiled once for each instruction set.
#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/fringe_phase/fringe_phase_cpu.h"

namespace datum::fringe {
namespace {

#if defined(DATUM_ISA_AVX512)
struct Pixels : Simd {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(_mm512_castps_si512(v)));
  }
};
#elif defined(DATUM_ISA_AVX2)
struct Pixels : Simd {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    const __m256i numbers = _mm256_castps_si256(v);
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
  }
};
#elif defined(DATUM_ISA_NEON)
struct Pixels : Simd {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    const uint16x4_t words = vmovn_u32(vreinterpretq_u32_f32(v));
    const std::uint64_t bytes = vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(vcombine_u16(words, words))), 0);
    std::memcpy(p, &bytes, 4);
  }
};
#else
using Pixels = OnePixel;
#endif

}  // namespace

extern const MeasureRow DATUM_OF_ISA(measure_row);
const MeasureRow DATUM_OF_ISA(measure_row) = measure_any_row<Pixels>;

}  // namespace datum::fringe
