// The build without CUDA.
#include "gpu/component_height/box_products_cuda.h"
#include "gpu/component_height/component_height_cuda.h"
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaBoxProducts::State {};
CudaBoxProducts::CudaBoxProducts() { refuse(); }
CudaBoxProducts::~CudaBoxProducts() = default;
void CudaBoxProducts::prepare(const PixelRun*, const RegionRuns*, std::size_t) { refuse(); }
const ResidualWindow* CudaBoxProducts::windows() const { return nullptr; }
void CudaBoxProducts::launch(CudaStream, const PlaneFit*, BoxProducts*, std::size_t) const { refuse(); }

struct CudaComponentHeights::State {};
CudaComponentHeights::CudaComponentHeights() { refuse(); }
CudaComponentHeights::~CudaComponentHeights() = default;
void CudaComponentHeights::prepare(const BoardPlan&, std::int32_t) { refuse(); }
void CudaComponentHeights::launch(CudaStream, const void*, const PlaneFit*, BodyRecord*, std::size_t) const {
  refuse();
}

}  // namespace datum
