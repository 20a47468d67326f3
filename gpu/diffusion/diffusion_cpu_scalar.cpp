#include "gpu/diffusion/diffusion_cpu.h"
#include "gpu/diffusion/diffusion_lane.h"

namespace datum::diffusion {

extern const KernelTable kernels_scalar;
const KernelTable kernels_scalar = kernels_of<ScalarLane>();

}  // namespace datum::diffusion
