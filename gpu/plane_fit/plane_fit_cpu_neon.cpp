#include "gpu/core/simd_neon.h"
#include "gpu/plane_fit/plane_fit_cpu.h"

namespace datum {

extern const PlaneKernels plane_kernels_neon;
const PlaneKernels plane_kernels_neon = kernels_of<SimdNeon>();

}  // namespace datum
