#include "gpu/core/simd_avx512.h"
#include "gpu/fringe_phase/fringe_phase_cpu.h"

namespace datum::fringe {
namespace {

struct Avx512 : SimdAvx512 {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(_mm512_castps_si512(v)));
  }
};

}  // namespace

extern const MeasureRow measure_row_avx512;
const MeasureRow measure_row_avx512 = measure_any_row<Avx512>;

}  // namespace datum::fringe
