// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/diffusion/diffusion_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaDiffusion::State {};
CudaDiffusion::CudaDiffusion() { refuse(); }
CudaDiffusion::~CudaDiffusion() = default;
void CudaDiffusion::prepare(const std::int32_t*, const DiffusionGrid&, const DiffusionSettings&,
                            const Backend&) {
  refuse();
}
void CudaDiffusion::upload(CudaStream) { refuse(); }
void CudaDiffusion::launch(CudaStream) { refuse(); }
DiffusionRecord CudaDiffusion::fetch(CudaStream, std::int32_t*) { refuse(); }

}  // namespace datum
