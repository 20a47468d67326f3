#include "gpu/core/simd_scalar.h"
#include "gpu/plane_fit/plane_fit_cpu.h"

namespace datum {

extern const PlaneKernels plane_kernels_scalar;
const PlaneKernels plane_kernels_scalar = kernels_of<SimdScalar>();

}  // namespace datum
