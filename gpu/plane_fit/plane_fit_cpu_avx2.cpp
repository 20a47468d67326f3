#include "gpu/core/simd_avx2.h"
#include "gpu/plane_fit/plane_fit_cpu.h"

namespace datum {

extern const PlaneKernels plane_kernels_avx2;
const PlaneKernels plane_kernels_avx2 = kernels_of<SimdAvx2>();

}  // namespace datum
