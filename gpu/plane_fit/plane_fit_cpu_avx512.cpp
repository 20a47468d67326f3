#include "gpu/core/simd_avx512.h"
#include "gpu/plane_fit/plane_fit_cpu.h"

namespace datum {

extern const PlaneKernels plane_kernels_avx512;
const PlaneKernels plane_kernels_avx512 = kernels_of<SimdAvx512>();

}  // namespace datum
