// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/surface_compare/surface_compare_cuda.h"

namespace datum {

std::unique_ptr<DeviceCompare> cuda_device_compare(DeviceSearch&, DeviceAreas&) {
  throw GpuError(probe_cuda_device().why, true);
}

}  // namespace datum
