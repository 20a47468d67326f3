// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/surface_match/facet_matcher_cuda.h"

namespace datum {

std::unique_ptr<DeviceMatch> cuda_device_match(const ModelFacets&) {
  throw GpuError(probe_cuda_device().why, true);
}

}  // namespace datum
