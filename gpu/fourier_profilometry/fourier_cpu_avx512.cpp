#include "gpu/core/simd_avx512.h"

#include "gpu/fourier_profilometry/fourier_cpu.h"

namespace datum::fourier {
namespace {

struct Words : SimdAvx512 {
  using Word = float;
};

}  // namespace

extern const Kernels kernels_avx512;
const Kernels kernels_avx512 = PairLanes<Words>::kernels();

}  // namespace datum::fourier
