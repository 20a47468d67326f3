// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/phase_correlation/phase_correlation_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaPhaseCorrelation::State {};
CudaPhaseCorrelation::CudaPhaseCorrelation(const float*, std::uint32_t, std::uint32_t,
                                           const CorrelationSettings&) {
  refuse();
}
CudaPhaseCorrelation::~CudaPhaseCorrelation() = default;
CorrelationShift CudaPhaseCorrelation::find(CudaStream, const float*) { refuse(); }

}  // namespace datum
