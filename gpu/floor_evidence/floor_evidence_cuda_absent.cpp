// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/floor_evidence/floor_evidence_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaFloorEvidence::State {};
CudaFloorEvidence::CudaFloorEvidence() { refuse(); }
CudaFloorEvidence::~CudaFloorEvidence() = default;
void CudaFloorEvidence::prepare(const BoardPlan&, std::int32_t) { refuse(); }
void CudaFloorEvidence::launch(CudaStream, const void*, const PlaneFit*, RingRecord*, std::size_t) {
  refuse();
}

}  // namespace datum
