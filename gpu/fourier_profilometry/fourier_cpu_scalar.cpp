#include "gpu/core/simd_scalar.h"

#include "gpu/fourier_profilometry/fourier_cpu.h"

namespace datum::fourier {
namespace {

struct Words : SimdScalar {
  using Word = float;
};

}  // namespace

extern const Kernels kernels_scalar;
const Kernels kernels_scalar = PairLanes<Words>::kernels();

}  // namespace datum::fourier
