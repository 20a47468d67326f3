// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/plane_fit/plane_fit_cuda.h"

namespace datum {

struct CudaPlaneFit::State {};

namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

CudaPlaneFit::CudaPlaneFit(const CudaFitOptions&) { refuse(); }
CudaPlaneFit::~CudaPlaneFit() = default;
void CudaPlaneFit::prepare(const PlanePoints*, std::size_t, const PlaneFitSettings&) { refuse(); }
void CudaPlaneFit::prepare(const BoardPlan&, std::int32_t) { refuse(); }
void CudaPlaneFit::upload(CudaStream) { refuse(); }
void CudaPlaneFit::launch(CudaStream, const void*) { refuse(); }
void CudaPlaneFit::fetch(CudaStream, PlaneFit*, std::uint8_t*) { refuse(); }
const PlaneFit* CudaPlaneFit::device_fits() const { return nullptr; }
const std::uint32_t* CudaPlaneFit::device_needs_cpu() const { return nullptr; }
const unsigned int* CudaPlaneFit::device_timed_out() const { return nullptr; }

}  // namespace datum
