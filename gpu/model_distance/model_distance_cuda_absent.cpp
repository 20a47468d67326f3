// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/model_distance/model_distance_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaModelSearch::State {};
CudaModelSearch::CudaModelSearch(const TriangleModel&) { refuse(); }
CudaModelSearch::~CudaModelSearch() = default;
void CudaModelSearch::reserve(std::size_t) { refuse(); }
void CudaModelSearch::upload(CudaStream, const ModelPoint*, std::size_t) { refuse(); }
void CudaModelSearch::fetch(CudaStream, ModelDistance*) { refuse(); }
void CudaModelSearch::launch(CudaStream, const DistanceSettings&) { refuse(); }
std::unique_ptr<DeviceSearch> cuda_device_search(const TriangleModel&) { refuse(); }

}  // namespace datum
