// Compiled once for each instruction set.
#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/plane_fit/plane_fit_cpu.h"

namespace datum {

extern const PlaneKernels DATUM_OF_ISA(plane_kernels);
const PlaneKernels DATUM_OF_ISA(plane_kernels) = kernels_of<Simd>();

}  // namespace datum
