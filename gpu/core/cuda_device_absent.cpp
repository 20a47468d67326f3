// The build without CUDA.
#include "gpu/core/cuda_device.h"

namespace datum {

CudaDevice probe_cuda_device() {
  CudaDevice device;
  device.why = "this build carries no CUDA code; configure with -DDATUM_CUDA=ON where nvcc is installed";
  return device;
}

std::string cuda_build() { return "no CUDA"; }

}  // namespace datum
