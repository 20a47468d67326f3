// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/surface_match/surface_match_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaPointMatch::State {};
CudaPointMatch::CudaPointMatch(const ModelFacets&) { refuse(); }
CudaPointMatch::~CudaPointMatch() = default;
void CudaPointMatch::upload(CudaStream, const MeasuredPoints&) { refuse(); }
void CudaPointMatch::launch(CudaStream, const PointMatchSettings&) { refuse(); }
void CudaPointMatch::fetch(CudaStream, FacetDeviation*) { refuse(); }

struct CudaFacetMatch::State {};
CudaFacetMatch::CudaFacetMatch(const ModelFacets&) { refuse(); }
CudaFacetMatch::~CudaFacetMatch() = default;
void CudaFacetMatch::upload(CudaStream, const MeasuredFacets&) { refuse(); }
void CudaFacetMatch::launch(CudaStream, const FacetMatchSettings&) { refuse(); }
void CudaFacetMatch::fetch(CudaStream, FacetPierced*) { refuse(); }

}  // namespace datum
