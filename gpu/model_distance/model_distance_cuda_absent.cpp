// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/model_distance/model_distance_cuda.h"

namespace datum {

std::unique_ptr<DeviceSearch> cuda_device_search(const TriangleModel&) {
  throw GpuError(probe_cuda_device().why, true);
}

}  // namespace datum
