// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/lu/system_inverter_cuda.h"

namespace datum {

std::int32_t invert_on_device(const SystemToInvert&) { throw GpuError(probe_cuda_device().why, true); }

}  // namespace datum
