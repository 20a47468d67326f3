#include "gpu/core/simd_neon.h"
#include "gpu/fringe_phase/fringe_phase_cpu.h"

namespace datum::fringe {
namespace {

struct Neon : SimdNeon {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    const uint16x4_t words = vmovn_u32(vreinterpretq_u32_f32(v));
    const std::uint64_t bytes = vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(vcombine_u16(words, words))), 0);
    std::memcpy(p, &bytes, 4);
  }
};

}  // namespace

extern const MeasureRow measure_row_neon;
const MeasureRow measure_row_neon = measure_any_row<Neon>;

}  // namespace datum::fringe
