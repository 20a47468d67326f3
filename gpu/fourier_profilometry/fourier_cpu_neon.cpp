#include "gpu/core/simd_neon.h"

#include "gpu/fourier_profilometry/fourier_cpu.h"

namespace datum::fourier {
namespace {

struct Words : SimdNeon {
  using Word = float;
};

}  // namespace

extern const Kernels kernels_neon;
const Kernels kernels_neon = PairLanes<Words>::kernels();

}  // namespace datum::fourier
