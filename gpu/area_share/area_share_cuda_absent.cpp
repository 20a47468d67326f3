// The build without CUDA.
#include "gpu/area_share/area_share_cuda.h"
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"

namespace datum {

std::unique_ptr<DeviceAreas> cuda_device_areas(const AreaModel&) {
  throw GpuError(probe_cuda_device().why, true);
}

}  // namespace datum
