#include "gpu/core/simd_avx2.h"
#include "gpu/fringe_phase/fringe_phase_cpu.h"

namespace datum::fringe {
namespace {

struct Avx2 : SimdAvx2 {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    const __m256i numbers = _mm256_castps_si256(v);
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
  }
};

}  // namespace

extern const MeasureRow measure_row_avx2;
const MeasureRow measure_row_avx2 = measure_any_row<Avx2>;

}  // namespace datum::fringe
