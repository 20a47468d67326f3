// The build without CUDA.
#include "gpu/board/slot_measurer.h"
#include "gpu/core/gpu_error.h"

namespace datum {

std::unique_ptr<SlotMeasurer> cuda_slot_measurer(const SlotMemory&) {
  throw GpuError("this build carries no CUDA code; configure with -DDATUM_CUDA=ON where nvcc is installed",
                 false);
}

}  // namespace datum
