// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/parallel_planes/parallel_planes_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaParallelPlanes::State {};
CudaParallelPlanes::CudaParallelPlanes() { refuse(); }
CudaParallelPlanes::~CudaParallelPlanes() = default;
void CudaParallelPlanes::prepare(const PlaneSample*, std::size_t, const ParallelSet*, std::size_t,
                                 const ParallelPlanesSettings&, bool) {
  refuse();
}
void CudaParallelPlanes::upload(CudaStream) { refuse(); }
void CudaParallelPlanes::launch(CudaStream) { refuse(); }
void CudaParallelPlanes::fetch(CudaStream, ParallelPlanes*, ParallelPlane*) { refuse(); }
void CudaParallelPlanes::extremes(CudaStream, PlaneExtremes*) { refuse(); }

}  // namespace datum
