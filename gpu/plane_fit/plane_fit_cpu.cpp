// Which loops an instruction set has in this build.
#include "gpu/core/isa_table.h"
#include "gpu/plane_fit/plane_fit_kernels.h"

namespace datum {

extern const PlaneKernels plane_kernels_scalar, plane_kernels_avx2, plane_kernels_avx512, plane_kernels_neon;

const PlaneKernels& plane_kernels(Isa isa) {
  return loops_of<PlaneKernels>(isa, DATUM_ISA_TABLE(plane_kernels), "plane fit");
}

}  // namespace datum
