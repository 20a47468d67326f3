// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/fringe_phase/fringe_phase_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaFringePhase::State {};
CudaFringePhase::CudaFringePhase() { refuse(); }
CudaFringePhase::~CudaFringePhase() = default;
void CudaFringePhase::prepare(const FringeImages&, const FringePattern&, const FringeLimits&,
                              const HeightModel*, const FringeMaps&) {
  refuse();
}
void CudaFringePhase::upload(CudaStream, const FringeImages&) { refuse(); }
void CudaFringePhase::launch(CudaStream) { refuse(); }
void CudaFringePhase::fetch(CudaStream, const FringeMaps&) { refuse(); }

}  // namespace datum
