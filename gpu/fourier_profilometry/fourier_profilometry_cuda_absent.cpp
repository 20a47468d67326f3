// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/fourier_profilometry/fourier_profilometry_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

struct CudaFourierProfilometry::State {};
CudaFourierProfilometry::CudaFourierProfilometry(std::uint32_t, const FourierSettings&) { refuse(); }
CudaFourierProfilometry::~CudaFourierProfilometry() = default;
void CudaFourierProfilometry::demodulate(CudaStream, const FourierImage&, const FourierMaps&) { refuse(); }
void CudaFourierProfilometry::launch(CudaStream, const FourierImage&, const FourierMaps&) { refuse(); }

}  // namespace datum
