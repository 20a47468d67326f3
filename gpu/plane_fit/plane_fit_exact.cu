// The kernels of exact mode.

#include "gpu/plane_fit/exact_mode.cuh"
#include "gpu/plane_fit/fit_kernels.cuh"

namespace datum::cuda {

template <class Source>
void launch_exact(const FitLaunch& launch, const Batch& batch, const Source& source) {
  launch_kernels<ExactMode>(launch, batch, source);
}

template void launch_exact(const FitLaunch&, const Batch&, const PointSource&);
template void launch_exact(const FitLaunch&, const Batch&, const MapSource<std::int16_t>&);
template void launch_exact(const FitLaunch&, const Batch&, const MapSource<std::int32_t>&);
template void launch_exact(const FitLaunch&, const Batch&, const MapSource<float>&);

}  // namespace datum::cuda
