#include "gpu/core/simd_avx2.h"

#include "gpu/fourier_profilometry/fourier_cpu.h"

namespace datum::fourier {
namespace {

struct Words : SimdAvx2 {
  using Word = float;
};

}  // namespace

extern const Kernels kernels_avx2;
const Kernels kernels_avx2 = PairLanes<Words>::kernels();

}  // namespace datum::fourier
